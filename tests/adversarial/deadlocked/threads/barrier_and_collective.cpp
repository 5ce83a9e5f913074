// Rank 0's main thread waits at a barrier (std::barrier) for its worker, which waits in a
// collective for rank 1, which waits in another for rank 0's main thread.
// Expected: deadlock; a cycle of both, through the barrier.
#include <barrier>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::barrier meet(2);
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    if (rank() == 0) {
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
    }
    meet.arrive_and_wait();
  });
  meet.arrive_and_wait();
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  worker.join();
  return 0;
}
