// A thread of rank 0 ends with a split in its open group, so NCCL never makes it. Rank 1 waits in
// its own split for rank 0, which waits for an all-reduce of rank 1's.
// Naive view: rank 0 has called the split.
// Expected: deadlock, rank 0 and rank 1 in a cycle.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    static ncclComm_t never = nullptr;
    std::thread([&] {
      check(cudaSetDevice(0));
      check(ncclGroupStart());
      check(ncclCommSplit(two.first, 0, 0, &never, nullptr));
    }).join();
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  twin_of(two.first);
  return 0;
}
