// A thread of rank 0 opens a group, calls the collective in it and ends without closing the group.
// The process waits in pthread_join and then in the next collective. Nothing was enqueued, so rank
// 0 has not made the call.
// Naive view: the call was announced, so rank 0 has come.
// Expected: deadlock, rank 0 is missing.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect =
                                deadlock("cycle", {0, 1}).or_as("deadlock", "missing_rank", {0})};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    std::thread([&] {
      check(cudaSetDevice(0));
      check(ncclGroupStart());
      all_reduce(two.first, two.on_first, two.x);
    }).join();
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
