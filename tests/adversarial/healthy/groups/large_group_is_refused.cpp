// Rank 0's group has 4,200 good all-reduces and a call that is refused (a negative root), so NCCL
// drops all of them. Then both ranks make 150 all-reduces, each of another size.
// Naive view: of a group that is larger than the record, the calls that the record no longer holds
// were launched.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    check(ncclGroupStart());
    for (int i = 0; i < 4200; ++i) all_reduce(two.first, two.on_first, two.x, 16);
    ncclBroadcast(two.x, two.x, 8, ncclFloat, -7, two.first, two.on_first);
    if (ncclGroupEnd() == ncclSuccess) return 5;
  }
  for (int step = 0; step < 150; ++step) {
    if (step % 100 == 0 && rank() == step / 100) pause_ms(900);
    all_reduce(two.first, two.on_first, two.x, static_cast<std::size_t>(8 + step));
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
