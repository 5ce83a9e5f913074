// Ranks that look dead, and when to look at them again.
#pragma once

#include <vector>

#include "harness/detect/judge.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::run {

// After a first look at which ranks look dead, the agent looks again at once, now at all that the
// kernel knows, and once more. What has changed in between begins anew. After that, looking takes
// its usual share of the time.
class Suspicion {
 public:
  // A look of this depth has found this. Returns whether a proof that it found counts. A first look
  // at threads asks the kernel less than a proof needs, so it does not replace a full one.
  bool looked(const detect::Finding& finding, Depth depth) {
    if (finding.suspects != ranks_ || !finding.unmoved) looks_ = 0;
    ranks_ = finding.suspects;
    looks_ = ranks_.empty() ? 0 : looks_ + 1;
    const bool counts = finding.proven && !(depth == Depth::kernel && last_ == Depth::threads);
    const bool needs_boxes = finding.proven || !finding.rests_on_kernel;
    next_ = depth == Depth::kernel && !counts && needs_boxes ? Depth::again : Depth::kernel;
    last_ = depth;
    return counts;
  }
  // Whether the last look found ranks that look dead.
  bool exists() const { return looks_ > 0; }
  bool is_urgent() const { return exists() && looks_ <= kAtOnce; }
  // How to look at them. Once the kernel has been asked, a proof that does not rest on its word, or
  // rests on what it has said twice, needs only the boxes again.
  Depth next() const { return next_; }

 private:
  static constexpr int kAtOnce = 2;
  std::vector<int> ranks_;
  int looks_ = 0;  // in a row, at just these ranks, unmoved
  Depth last_ = Depth::boxes;
  Depth next_ = Depth::kernel;
};

}  // namespace gridlock::run
