// Rank 0's main thread waits on a condition variable for its worker, which waits in a collective
// for rank 1, which waits in another for rank 0's main thread.
// Expected: deadlock; a cycle of both, through the condition variable.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    if (rank() == 1) return;
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    const std::scoped_lock lock(mutex);
    done = true;
    changed.notify_all();
  });
  if (rank() == 0) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  worker.join();
  return 0;
}
