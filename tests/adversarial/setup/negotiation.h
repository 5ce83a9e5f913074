// As in Horovod: a background thread of each rank reduces what the main thread submits, once the
// coordinator in rank 0 has heard of all ranks.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/store.h"

class Negotiation {
 public:
  // Connects the ranks, after two collectives in which they meet.
  explicit Negotiation(const Two& two) : two_(two) {
    step();
    const int listener = rank() == 0 ? store_listener() : -1;
    step();
    if (rank() == 0) {
      for (int& other : others_) other = accept(listener, nullptr, nullptr);
      close(listener);
    } else {
      coordinator_ = store_client();
    }
    background_ = std::thread([this] { reduce_all(); });
  }

  // Submits the main thread's next tensor, and waits until it is reduced.
  void reduce() {
    std::unique_lock lock(mutex_);
    const int tensor = ++submitted_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return reduced_ == tensor; });
  }

  // Of three tensors.
  void join() { background_.join(); }

 private:
  void step() {
    all_reduce(two_.first, two_.on_first, two_.x);
    check(cudaStreamSynchronize(two_.on_first));
  }

  void negotiate() {
    if (rank() == 0) {
      for (const int other : others_) be_told(other);
      for (const int other : others_) tell(other);
    } else {
      tell(coordinator_);
      be_told(coordinator_);
    }
  }

  void reduce_all() {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    for (int next = 1; next <= 3; ++next) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return submitted_ >= next; });
      lock.unlock();
      negotiate();
      step();
      lock.lock();
      reduced_ = next;
      changed_.notify_all();
    }
  }

  const Two& two_;
  int others_[2] = {-1, -1};
  int coordinator_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  int submitted_ = 0;
  int reduced_ = 0;
  std::thread background_;
};
