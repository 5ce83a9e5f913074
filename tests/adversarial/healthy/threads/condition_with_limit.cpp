// A thread waits on a condition variable with a limit of 600 ms; nobody signals it, the limit ends,
// and it makes the missing call. It has made a recorded call before.
// Naive view: a thread that sleeps is dead like the others.
// Expected: completes.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable never;
  std::thread helper;
  if (rank() == 0) {
    helper = std::thread([&] {
      check(cudaSetDevice(0));
      check(cudaStreamSynchronize(two.on_first));
      std::unique_lock lock(mutex);
      never.wait_for(lock, std::chrono::milliseconds(600));
      all_reduce(two.first, two.on_first, two.x);
    });
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (helper.joinable()) helper.join();
  return 0;
}
