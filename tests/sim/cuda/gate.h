// Work that holds a stream until the test says otherwise. In the simulation every stream has its
// own thread, so a kernel that waits is enough. Tests that run on a GPU find gpu/include's gate in
// place of this one.
#pragma once

#include <gridlock_sim/launch.h>
#include <sched.h>

#include <atomic>

#include "tests/sim/cuda/check.h"

namespace sim_test {

// A closed gate holds each stream that it was put into.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    while (inside_.load() != 0) sched_yield();
  }

  void hold(cudaStream_t stream) {
    inside_.fetch_add(1);
    check(sim::launch(stream, [this] {
      opened_.wait(false);
      inside_.fetch_sub(1);
    }));
  }

  void open() {
    opened_.store(true);
    opened_.notify_all();
  }

  bool is_open() const { return opened_.load(); }

 private:
  std::atomic<bool> opened_{false};
  std::atomic<int> inside_{0};
};

}  // namespace sim_test
