// Two communicators, crossed but for what rank 0's first thread does in between: its second thread
// waits for rank 1's message, and rank 1 for rank 0's step.
#pragma once

#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

class Event {
 public:
  void tell() {
    const std::scoped_lock lock(mutex_);
    is_told_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_told_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_told_ = false;
};

// Rank 0 does `work` before its step. Helpers must have been started.
template <class Work>
int crossed_until(Work work) {
  const Two two;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  std::thread receiver;
  if (rank() == 0) {
    receiver = std::thread([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      check(ncclRecv(two.y, 8, ncclFloat, 1, two.second, two.on_second));
      check(cudaStreamSynchronize(two.on_second));
    });
    work();
  }
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 1) check(ncclSend(two.y, 8, ncclFloat, 0, two.second, two.on_second));
  check(cudaStreamSynchronize(two.on_second));
  if (receiver.joinable()) receiver.join();
  return 0;
}

// Waits for what comes through `descriptor`, for which a thread looks again and again.
inline void wait_for_who_polls(int descriptor, int limit_ms) {
  Event has_come;
  std::thread looks([&] {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    while (poll(&one, 1, limit_ms) == 0) continue;
    has_come.tell();
  });
  has_come.wait();
  looks.join();
}
