#include "harness/run/look/standing.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gridlock::run {
namespace {

// For how long a thread may sleep whose time limit does not show.
constexpr Duration kHidden = kMostSilentSleeps;

}  // namespace

bool Standing::needs_verdict(const detect::Finding& finding, std::int64_t now_ns,
                             const LookAtThreads& look) {
  // A thread that was assumed to do nothing may fall asleep on its way to act. So a proof that once
  // needed an assumption must stand for a while, also if it needs none any more.
  left_ = Duration::max();
  if (!finding.unmoved) was_assumed_ = false;
  if (!finding.unmoved || !finding.proven) {
    least_.reset();
    longest_sleep_ = Duration(0);
  }
  if (!finding.proven) {
    since_ns_ = 0;
    return false;
  }
  if (since_ns_ == 0) since_ns_ = now_ns;
  const bool closing = are_closing(finding.closing, now_ns, look);
  return finding.settled || closing || has_stood(kSettleBound, now_ns, look);
}

std::optional<detect::Verdict> Standing::decide(detect::Verdict verdict, Duration sleep,
                                                std::int64_t now_ns, const LookAtThreads& look) {
  was_assumed_ = was_assumed_ || !verdict.assumptions.empty();
  // What was proven with fewer assumptions stays proven until something moves.
  if (!least_ || verdict.assumptions.size() < least_->assumptions.size()) {
    least_ = std::move(verdict);
  }
  const Duration bound = least_->assumptions.empty() ? std::min(kAssumptionBound, bound_) : bound_;
  // Nobody knows what a thread does that sleeps by the clock, until it has woken, and has had the
  // time that others get to come to rest. It may sleep again before its first call.
  if (sleep > Duration(0)) {
    const Duration several = std::min(kSilentSleeps * sleep, kMostSilentSleeps);
    longest_sleep_ = std::max(longest_sleep_, std::max(sleep, several) + kSettleBound);
  }
  if (was_assumed_ && !has_stood(std::max(bound, longest_sleep_), now_ns, look)) return {};
  return std::exchange(least_, std::nullopt);
}

bool Standing::is_over(SilenceMeter& meter, std::int64_t since_ns, std::int64_t now_ns,
                       Duration time, const LookAtThreads& look) {
  const Silence silence = meter.measure(since_ns, now_ns, time, look);
  if (run::is_over(silence, time)) return true;
  left_ = std::min(left_, meter.left(silence, time));
  return false;
}

bool Standing::has_stood(Duration time, std::int64_t now_ns, const LookAtThreads& look) {
  return is_over(since_proof_, since_ns_, now_ns, time, look);
}

bool Standing::are_closing(bool closing, std::int64_t now_ns, const LookAtThreads& look) {
  if (!closing) {
    closing_ns_ = 0;
    return false;
  }
  if (closing_ns_ == 0) closing_ns_ = now_ns;
  return is_over(since_closing_, closing_ns_, now_ns, kClosingBound, look);
}

Duration sleep_of_silent_threads(std::span<const record::Snapshot> snapshots) {
  std::unordered_multimap<record::ProcessKey, const record::Sleep*> sleeps;
  std::vector<record::ProcessKey> open;
  for (const record::Snapshot& snapshot : snapshots) {
    open.push_back(snapshot.key);
    for (const record::Sleeper& one : snapshot.others) {
      sleeps.emplace(one.process, &one.sleep);
      // It may signal or kill one of the others.
      if (one.sleep.by_clock) open.push_back(one.process);
    }
  }
  std::int64_t longest_ns = 0;
  std::unordered_set<record::ProcessKey> seen;
  while (!open.empty()) {
    const record::ProcessKey process = open.back();
    open.pop_back();
    if (!seen.insert(process).second) continue;
    const auto [first, last] = sleeps.equal_range(process);
    std::for_each(first, last, [&](const auto& entry) {
      longest_ns = std::max(longest_ns, entry.second->limit_ns);
      if (entry.second->has_hidden_limit) longest_ns = std::max(longest_ns, kHidden.count());
      const auto& wakers = entry.second->wakers;
      open.insert(open.end(), wakers.begin(), wakers.end());
    });
  }
  return Duration(longest_ns);
}

}  // namespace gridlock::run
