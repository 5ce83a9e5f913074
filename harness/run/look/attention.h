// Decides when to look at the threads of a job that does not move.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/base/limits.h"

namespace gridlock::run {

// Looks soon after the job came to rest, and soon again, because a thread may be about to fall
// asleep. After that it looks less and less often, down to a small share of the time, because most
// jobs at rest are computing. A job that comes to rest again and again, in every step, is not
// followed each time: all looks together have a share too, with some credit for a job that has just
// begun to rest.
class Attention {
 public:
  // Whether to look now at a job that has not moved since `since_ns`.
  bool is_due(std::int64_t since_ns, std::int64_t now_ns) const {
    const int apart = since_ns == since_ns_ ? apart_ : kFirstApart;
    return now_ns - since_ns >= kRestBound.count() &&
           now_ns - last_ns_ >= (apart * cost_).count() && credit_at(now_ns) >= Duration(0);
  }
  // That look is over and took `cost`, of a core's time.
  void looked(std::int64_t since_ns, std::int64_t now_ns, Duration cost) {
    apart_ = since_ns == since_ns_ ? std::min(2 * apart_, kThreadLookShare) : kFirstApart;
    since_ns_ = since_ns;
    credit_ = credit_at(now_ns) - cost;
    last_ns_ = now_ns;
    cost_ = cost;
  }

 private:
  Duration credit_at(std::int64_t now_ns) const {
    return std::min(kThreadLookCredit, credit_ + Duration(now_ns - last_ns_) / kRepeatedLookShare);
  }

  static constexpr int kFirstApart = 1;
  int apart_ = kFirstApart;  // the pause between two looks, in costs of a look
  std::int64_t since_ns_ = -1;
  std::int64_t last_ns_ = 0;
  Duration cost_{};
  Duration credit_ = kThreadLookCredit;
};

}  // namespace gridlock::run
