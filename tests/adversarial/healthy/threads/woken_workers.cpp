// 20 workers idle on a condition variable. Meanwhile the main thread waits for the device, for a
// collective that the other rank's workers make once its main thread wakes them.
// Naive view: a thread that sleeps on a condition variable is dead like the others.
// Expected: completes.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable changed;
  int next = 0;
  std::vector<std::thread> workers;
  workers.reserve(20);
  for (int i = 0; i < 20; ++i) {
    workers.emplace_back([&, i] {
      check(cudaSetDevice(rank()));
      check(cudaStreamSynchronize(nullptr));  // recorded from now on
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return next == i; });
      if (rank() == i % 2) pause_ms(10);
      all_reduce(two.first, two.on_first, two.x);
      ++next;
      changed.notify_all();
    });
  }
  check(cudaStreamSynchronize(two.on_first));
  for (std::thread& worker : workers) worker.join();
  check(cudaDeviceSynchronize());
  return 0;
}
