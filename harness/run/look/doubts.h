// Decides when to look again at threads that are awake in a recorded wait.
#pragma once

namespace gridlock::run {

// Such a thread has soon spun for long enough to be believed. So the agent looks again at once, but
// not for ever: on a crowded machine the thread may get no core.
class Doubts {
 public:
  // `exist`: the last look left a thread in doubt.
  void looked(bool exist) { looks_ = exist ? looks_ + 1 : 0; }
  // Whether to look again soon.
  bool are_due() const { return looks_ > 0 && looks_ <= kMostLooks; }

 private:
  static constexpr int kMostLooks = 30;
  int looks_ = 0;  // in a row
};

}  // namespace gridlock::run
