// Fifty pool workers that have used CUDA idle on one condition variable, which only the main thread
// signals. The main threads have crossed two communicators on one stream.
// Expected: deadlock; a cycle of both.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::vector<std::thread> pool;
  pool.reserve(50);
  for (int i = 0; i < 50; ++i) {
    pool.emplace_back([&] {
      check(cudaSetDevice(rank()));
      check(cudaStreamSynchronize(two.on_second));
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ended; });
    });
  }
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  {
    const std::scoped_lock lock(mutex);
    ended = true;
  }
  changed.notify_all();
  for (std::thread& worker : pool) worker.join();
  return 0;
}
