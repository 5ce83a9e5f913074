// A recorded thread waits on a condition variable with a time limit of an hour, as in pools. The
// main threads have crossed two communicators.
// Expected: deadlock; a cycle of both. The verdict may name the unexpired limit as an assumption.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming(" ")};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread([&] {
    check(cudaSetDevice(rank()));
    check(cudaStreamSynchronize(two.on_second));
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::hours(1));
  }).detach();
  pause_ms(20);
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
