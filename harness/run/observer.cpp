// A job without boxes: only the processes' ends and reports are looked at.
#include "harness/run/observer.h"

#include <algorithm>

#include "harness/run/ending.h"
#include "harness/run/error.h"
#include "harness/run/ranks.h"
#include "harness/run/sight.h"

namespace gridlock::run {

std::string_view to_string(End end) {
  switch (end) {
    case End::fails:
      return "fails";
    case End::crashes:
      return "crashes";
    case End::corrupts:
      return "corrupts";
    case End::silent:
      return "silent";
    case End::completes:
      break;
  }
  return "completes";
}

End end_of(detect::Outcome outcome) {
  switch (outcome) {
    case detect::Outcome::completes:
      return End::completes;
    case detect::Outcome::fails:
      return End::fails;
    case detect::Outcome::crashes:
      return End::crashes;
    case detect::Outcome::corrupts:
      return End::corrupts;
    default:
      return End::silent;
  }
}

End run_unrecorded(const Job& job, const Installation& installation, Interrupts& interrupts,
                   Duration limit) {
  Job plain = job;
  plain.recorded = false;
  const Boxes boxes(job.ranks);
  const std::int64_t end_ns = now_ns() + limit.count();
  Ranks ranks(plain, installation, boxes);
  while (!ranks.all_ended() && !interrupts.requested() && now_ns() < end_ns) {
    ranks.wait(Duration(end_ns - now_ns()), interrupts.descriptor());
  }
  const bool ended = ranks.all_ended();
  if (ranks.kill_all() > 0) throw MachineError("a process could not be killed");
  if (!ended) return End::silent;
  std::vector<RankEnd> ends;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ends.push_back({.ending = ranks.ending(i),
                    .output = ranks.output(i),
                    .report = parse_report(ranks.report(i))});
  }
  return end_of(verdict_of_end(ends, detect::Ledger()).outcome);
}

}  // namespace gridlock::run
