// For how long a proof must stand before it is the verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "harness/base/limits.h"
#include "harness/detect/judge.h"
#include "harness/record/snapshot.h"
#include "harness/run/look/starvation.h"

namespace gridlock::run {

// After a proof, the rest of the job gets a little time to come to rest, so that the same bug gets
// the same verdict every time. A proof with an assumption must stand for longer. The time in which
// the job's threads had no core does not count.
class Standing {
 public:
  using LookAtThreads = std::function<Hindrances()>;

  // `bound`: how long a proof with an assumption must stand.
  explicit Standing(Duration bound) : bound_(bound) {}

  // Takes what a look has found. True: it is a proof, and the other ranks are at rest or had their
  // time, so this look needs a verdict.
  bool needs_verdict(const detect::Finding& finding, std::int64_t now_ns,
                     const LookAtThreads& look);
  // Takes that verdict, and for how long a thread sleeps that it assumes to do nothing. Returns the
  // one of this proof that assumes least; {}: it must stand for longer.
  std::optional<detect::Verdict> decide(detect::Verdict verdict, Duration sleep,
                                        std::int64_t now_ns, const LookAtThreads& look);
  // When the ranks were proven dead that are dead now; 0: none is proven.
  std::int64_t since_ns() const { return since_ns_; }
  // How long after the last look the next one is due, because the proof must still stand; the
  // greatest duration if there is none.
  Duration left() const { return left_; }

 private:
  bool is_over(SilenceMeter& meter, std::int64_t since_ns, std::int64_t now_ns, Duration time,
               const LookAtThreads& look);
  bool has_stood(Duration time, std::int64_t now_ns, const LookAtThreads& look);
  bool are_closing(bool closing, std::int64_t now_ns, const LookAtThreads& look);

  Duration bound_;
  std::int64_t since_ns_ = 0;
  std::int64_t closing_ns_ = 0;  // 0: the ranks that can act do something else
  SilenceMeter since_proof_;
  SilenceMeter since_closing_;
  Duration left_ = Duration::max();
  bool was_assumed_ = false;              // a proof of these dead ranks needed an assumption
  std::optional<detect::Verdict> least_;  // of this proof, with the fewest assumptions so far
  Duration longest_sleep_{};              // of a thread that was assumed to do nothing since
};

// How long a rank's thread that has made no recorded call sleeps at most, by its time limit or by
// that of a process for which it waits.
Duration sleep_of_silent_threads(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::run
