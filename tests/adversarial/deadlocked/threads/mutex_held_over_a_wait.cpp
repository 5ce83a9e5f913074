// Rank 0's trainer thread holds a mutex while it waits for the device, for a collective that rank 1
// joins later. Its checkpoint thread needs the mutex before it can call the collective in which
// rank 1 waits now.
// Naive view: the checkpoint thread sleeps in code that is not recorded, so it can act.
// Expected: deadlock; a cycle of both, through the mutex.
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::thread checkpoint([&] {
    check(cudaSetDevice(rank()));
    if (rank() == 0) pause_ms(50);
    check(cudaStreamSynchronize(two.on_second));
    const std::scoped_lock lock(mutex);
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  });
  if (rank() == 0) {
    const std::scoped_lock lock(mutex);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  } else {
    checkpoint.join();
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  if (checkpoint.joinable()) checkpoint.join();
  return 0;
}
