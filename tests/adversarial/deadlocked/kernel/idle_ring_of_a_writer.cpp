// Both ranks write checkpoints by io_uring, in a thread that is idle now (it waits for the next
// one at a condition variable). The ranks enter two communicators in different orders.
// Naive view: the kernel may still do something for a ring.
// Expected: deadlock; both.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"
#include "tests/adversarial/setup/ring.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("recorded call")};

int program(int, char**) {
  const Two two;
  io_uring_params rings{};
  if (syscall(SYS_io_uring_setup, 8, &rings) < 0) return 5;
  std::mutex mutex;
  std::condition_variable next;
  bool is_over = false;
  std::thread writer([&] {
    std::unique_lock lock(mutex);
    next.wait(lock, [&] { return is_over; });
  });
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
  } else {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  {
    const std::scoped_lock lock(mutex);
    is_over = true;
  }
  next.notify_all();
  writer.join();
  return 0;
}
