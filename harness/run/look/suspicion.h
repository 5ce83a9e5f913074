// Ranks that look dead, and when to look at them again.
#pragma once

#include <utility>
#include <vector>

#include "harness/detect/judge.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::run {

// After a first look at which ranks look dead, the agent looks again at once, now at all that the
// kernel knows, and once more to see whether threads have slept since. What has changed in between
// begins anew. After that, looking takes its usual share of the time.
class Suspicion {
 public:
  // `unmoved`: nothing that their death rests on has changed since the look before.
  void looked(std::vector<int> dead, bool unmoved) {
    if (dead != ranks_ || !unmoved) looks_ = 0;
    ranks_ = std::move(dead);
    looks_ = ranks_.empty() ? 0 : looks_ + 1;
  }
  // Whether the last look found ranks that look dead.
  bool exists() const { return looks_ > 0; }
  bool is_urgent() const { return exists() && looks_ <= kAtOnce; }

 private:
  static constexpr int kAtOnce = 2;
  std::vector<int> ranks_;
  int looks_ = 0;  // in a row, at just these ranks, unmoved
};

// How to look at ranks that looked dead at a look of depth `last`, which found `finding`. A proof
// needs two looks. If the kernel has been asked and nothing rests on its word, the second one needs
// only the boxes.
inline Depth depth_for_proof(Depth last, const detect::Finding& finding) {
  const bool was_asked = last == Depth::kernel && !finding.proven;
  return was_asked && !finding.rests_on_kernel ? Depth::again : Depth::kernel;
}

}  // namespace gridlock::run
