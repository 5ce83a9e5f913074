// Decides when to look again at threads that are awake in a recorded wait.
#pragma once

#include <cstdint>

namespace gridlock::run {

// Such a thread has soon spun for long enough to be believed. So the agent looks again at once, but
// not for ever: on a crowded machine the thread may get no core.
class Doubts {
 public:
  // A look at a job that has not moved since `since_ns`; `exist`: it left a thread in doubt.
  void looked(bool exist, std::int64_t since_ns) {
    if (!exist || since_ns != since_ns_) looks_ = 0;
    if (exist) ++looks_;
    since_ns_ = since_ns;
  }
  // Whether to look again soon.
  bool are_due() const { return looks_ > 0 && looks_ <= kMostLooks; }

 private:
  static constexpr int kMostLooks = 30;
  int looks_ = 0;  // in a row
  std::int64_t since_ns_ = 0;
};

}  // namespace gridlock::run
