// Rank 0's group holds a split and a call that is refused (a negative root), and is only simulated.
// So the simulation fails, and nothing was split. Then all ranks split, and use the child. Rank 2
// comes late.
// Naive view: the child of the group that failed is still being made.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    ncclComm_t never = nullptr;
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    check(ncclGroupStart());
    check(ncclCommSplit(two.first, 0, 0, &never, nullptr));
    static_cast<void>(ncclBroadcast(two.x, two.x, 8, ncclFloat, -7, two.first, two.on_first));
    if (ncclGroupSimulateEnd(&info) == ncclSuccess) return 5;
  }
  const ncclComm_t child = twin_of(two.first);
  for (std::size_t count = 8; count < 11; ++count) {
    if (rank() == 2) hold_for_long(two.on_first);
    all_reduce(child, two.on_first, two.x, count);
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
