// A pipeline of four stages, each of which passes four microbatches on (16 MiB each, so a send
// waits for its receive). Stage 2 counts wrongly and passes on only three. Then all reduce their
// gradients.
// Expected: deadlock; rank 2 is to blame (or the cycle of 2 and 3, or of 1, 2 and 3).
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2})
                                          .or_as("deadlock", "cycle", {2, 3})
                                          .or_as("deadlock", "cycle", {1, 2, 3}),
                            .ranks = 4};

int program(int, char**) {
  constexpr std::size_t kCount = std::size_t{4} << 20;
  const Training training;
  float* batch = device_floats(kCount);
  training.step();
  const int me = rank();
  const int batches = me == 2 ? 3 : 4;
  for (int i = 0; i < batches; ++i) {
    if (me > 0) check(ncclRecv(batch, kCount, ncclFloat, me - 1, training.world, training.stream));
    if (me < 3) check(ncclSend(batch, kCount, ncclFloat, me + 1, training.world, training.stream));
  }
  training.step();
  return 0;
}
