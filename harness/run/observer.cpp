// Runs a job without boxes: only its processes' ends and reports count.
#include "harness/run/observer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/error.h"
#include "harness/run/ending.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::run {
namespace {

End end_unrecorded(const Job& job, const catalogue::Installation& installation,
                   processes::Interrupts& interrupts, Duration limit, Fellows* fellows) {
  Job plain = job;
  plain.recorded = false;
  plain = begun(std::move(plain), fellows);
  OwnRanks own(plain, installation);
  const std::string fault = fellows == nullptr ? "" : fellows->started();
  std::vector<record::Snapshot> snapshots(static_cast<std::size_t>(job.ranks));
  const std::array others{interrupts.descriptor()};
  const std::int64_t end_ns = now_ns() + limit.count();
  bool ended = false;
  while (fault.empty() && !ended && !interrupts.requested() && now_ns() < end_ns) {
    ended = own.processes().all_ended();
    if (fellows != nullptr) {
      fellows->ask(Depth::boxes, detect::Ledger());
      ended &= fellows->take(snapshots).all_ended;
      if (!fellows->lost().empty()) break;
    }
    // Nothing wakes this agent when a fellow's rank ends.
    const Duration left(end_ns - now_ns());
    if (!ended) own.processes().wait(fellows == nullptr ? left : kPollInterval, others);
  }
  if (fellows != nullptr) fellows->kill();
  const std::size_t held = own.processes().kill_all();
  const std::size_t held_there = fellows == nullptr ? 0 : fellows->killed();
  if (fellows != nullptr && !fellows->lost().empty()) throw MachineError(fellows->lost());
  if (!fault.empty()) throw MachineError(fault);
  if (held + held_there > 0) throw MachineError("a process could not be killed");
  if (!ended) return End::silent;
  std::vector<RankEnd> ends(static_cast<std::size_t>(job.ranks));
  std::vector<RankEnd> of_own = own.ends();
  std::move(of_own.begin(), of_own.end(), ends.begin());
  if (fellows != nullptr) fellows->collect(ends);
  return end_of(verdict_of_end(ends, detect::Ledger()).outcome);
}

}  // namespace

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

End run_unrecorded(const Job& job, const catalogue::Installation& installation,
                   processes::Interrupts& interrupts, Duration limit, Fellows* fellows) {
  try {
    return end_unrecorded(job, installation, interrupts, limit, fellows);
  } catch (...) {
    // As in watch.
    if (fellows != nullptr) fellows->call_off();
    throw;
  }
}

}  // namespace gridlock::run
