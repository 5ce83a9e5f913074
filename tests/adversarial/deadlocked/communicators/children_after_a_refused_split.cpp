// Rank 0's group has a split and one without a place for its child, which NCCL refuses with the
// whole group. Then both ranks split. They use the child and another communicator in different
// orders.
// Naive view: the split that was dropped counts, so the children are not the same communicator.
// Expected: deadlock, a cycle.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    ncclComm_t never = nullptr;
    check(ncclGroupStart());
    check(ncclCommSplit(two.first, 0, 0, &never, nullptr));
    static_cast<void>(ncclCommSplit(two.first, 0, 0, nullptr, nullptr));
    if (ncclGroupEnd() == ncclSuccess) return 5;
  }
  const ncclComm_t child = twin_of(two.first);
  const auto use = [&](ncclComm_t communicator) {
    all_reduce(communicator, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  };
  use(rank() == 0 ? child : two.second);
  use(rank() == 0 ? two.second : child);
  return 0;
}
