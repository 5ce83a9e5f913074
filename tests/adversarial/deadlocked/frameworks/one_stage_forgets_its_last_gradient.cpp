// A pipeline of four stages, one forward and one backward pass in turn, with groups of a send and a
// receive between neighbours. Stage 1 does not send the last gradient on, and goes to the reduction
// of all stages, as stages 2 and 3 do. Stage 0 waits for the gradient.
// Naive view: three of four ranks are at the reduction, so stage 0 is to blame.
// Expected: deadlock; stage 1 left a message out.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "cycle", {0, 1})
                                          .or_as("deadlock", "cycle", {1}),
                            .ranks = 4};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* out = device_floats();
  float* in = device_floats();
  const int stage = rank();
  constexpr int kBatches = 4;
  const auto exchange = [&](int to, int from) {
    check(ncclGroupStart());
    if (to >= 0 && to < 4) check(ncclSend(out, 64, ncclFloat, to, world, stream));
    if (from >= 0 && from < 4) check(ncclRecv(in, 64, ncclFloat, from, world, stream));
    check(ncclGroupEnd());
  };
  for (int batch = 0; batch < kBatches; ++batch) {
    exchange(-1, stage - 1);
    exchange(stage + 1, -1);
    exchange(-1, stage + 1);
    const bool forgets = stage == 1 && batch == kBatches - 1;
    if (!forgets) exchange(stage - 1, -1);
  }
  check(cudaStreamSynchronize(stream));
  all_reduce(world, stream, out);
  check(cudaStreamSynchronize(stream));
  return 0;
}
