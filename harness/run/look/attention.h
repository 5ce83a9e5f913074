// When a job that does not move is worth a look at its threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/base/limits.h"

namespace gridlock::run {

// Soon after it came to rest, and again soon, for a thread may be on its way to sleep; from then on
// less and less often, down to a small share of the time: most jobs that rest compute.
class Attention {
 public:
  // Whether to look now at a job that has not moved since `since_ns`.
  bool is_due(std::int64_t since_ns, std::int64_t now_ns) const {
    const int apart = since_ns == since_ns_ ? apart_ : kFirstApart;
    return now_ns - since_ns >= kRestBound.count() && now_ns - last_ns_ >= (apart * cost_).count();
  }
  // That look took `cost`, and is over.
  void looked(std::int64_t since_ns, std::int64_t now_ns, Duration cost) {
    apart_ = since_ns == since_ns_ ? std::min(2 * apart_, kThreadLookShare) : kFirstApart;
    since_ns_ = since_ns;
    last_ns_ = now_ns;
    cost_ = cost;
  }

 private:
  static constexpr int kFirstApart = 4;
  int apart_ = kFirstApart;  // how many times the cost of a look lies between two of them
  std::int64_t since_ns_ = -1;
  std::int64_t last_ns_ = 0;
  Duration cost_{};
};

}  // namespace gridlock::run
