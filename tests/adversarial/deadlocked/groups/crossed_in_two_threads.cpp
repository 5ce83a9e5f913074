// Two threads use two communicators on one stream. Rank 0 enqueues the calls in one order, rank 1
// in the other. The threads only determine the order; all calls are made.
// Expected: deadlock; a cycle of both.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::thread first([&] {
    check(cudaSetDevice(rank()));
    all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  });
  first.join();
  std::thread second([&] {
    check(cudaSetDevice(rank()));
    all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  });
  second.join();
  return 0;
}
