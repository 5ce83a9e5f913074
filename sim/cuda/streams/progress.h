// How far a stream has come, and the threads that wait for it. A waiter is woken once, when its own
// position is reached.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sim {

class Progress {
 public:
  // REQUIRES: only one thread calls it, with increasing positions
  void advance(std::uint64_t position);

  bool reached(std::uint64_t position) const { return completed_.load() >= position; }

  // Blocks   until `position` is reached
  void wait(std::uint64_t position);

 private:
  struct Waiter {
    std::uint64_t position;
    std::atomic<std::uint32_t> woken{0};
  };
  static constexpr std::uint64_t kNobody = UINT64_MAX;

  void update_nearest();  // REQUIRES: mutex_ held

  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> nearest_{kNobody};  // the smallest position in waiters_
  std::mutex mutex_;
  std::vector<Waiter*> waiters_;  // guarded by mutex_
};

}  // namespace sim
