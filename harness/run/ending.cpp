// Derives the outcome from exit codes, signals and reports, and the cause from disagreements on the
// way.
#include "harness/run/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "harness/detect/findings/divergence.h"

namespace gridlock::run {
namespace {

using detect::Cause;
using detect::Disagreement;
using detect::Outcome;
using detect::Verdict;

bool crashed(const RankEnd& rank) { return rank.ending && rank.ending->signaled; }

bool failed(const RankEnd& rank) {
  return (rank.ending && rank.ending->code != 0) ||
         rank.report.status == RankReport::Status::failed;
}

bool is_wrong(const RankEnd& rank) { return rank.report.numbers == RankReport::Numbers::wrong; }

detect::Phrase how(const RankEnd& rank) {
  const bool ended_well = !rank.ending || (!rank.ending->signaled && rank.ending->code == 0);
  if (ended_well && is_wrong(rank)) {
    return detect::phrase::WrongNumbers{rank.report.numbers_detail};
  }
  detect::phrase::Ended end{.by_signal = crashed(rank)};
  if (rank.ending) end.code = rank.ending->code;
  end.reason = rank.report.reason;
  return end;
}

// The ranks for which `holds` is true. Adds a phrase for each kind of end.
std::vector<int> add_faults(const std::vector<RankEnd>& ranks,
                            const std::function<bool(const RankEnd&)>& holds, Verdict& verdict) {
  std::vector<int> found;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!holds(ranks[i])) continue;
    found.push_back(static_cast<int>(i));
    const detect::Phrase what = how(ranks[i]);
    const auto same = std::find_if(verdict.faults.begin(), verdict.faults.end(),
                                   [&](const Verdict::Fault& fault) { return fault.what == what; });
    if (same != verdict.faults.end()) {
      same->ranks.push_back(static_cast<int>(i));
    } else {
      verdict.faults.push_back({.ranks = {static_cast<int>(i)}, .what = what});
    }
  }
  return found;
}

void add_cause(const Disagreement& found, const detect::Ledger& ledger, Verdict& verdict) {
  verdict.cause = Cause::mismatch;
  verdict.culprits = detect::odd_ranks(found, false);
  const detect::phrase::Crossed crossed = detect::crossed(found, ledger.names());
  for (const auto& side : crossed.sides) {
    detect::Wait wait;
    wait.ranks = side.ranks;
    wait.operation = side.shape.call;
    wait.communicator_id = found.communicator_id;
    wait.communicator = found.communicator;
    wait.name = crossed.communicator;
    wait.slot = found.slot;
    wait.label = side.label;
    verdict.waiting.push_back(wait);
  }
  verdict.divergence = crossed;
}

}  // namespace

Verdict verdict_of_end(const std::vector<RankEnd>& ranks, const detect::Ledger& ledger) {
  Verdict verdict;
  if (std::any_of(ranks.begin(), ranks.end(), crashed)) {
    verdict.outcome = Outcome::crashes;
    verdict.culprits = add_faults(ranks, crashed, verdict);
  } else if (std::any_of(ranks.begin(), ranks.end(), failed)) {
    verdict.outcome = Outcome::fails;
    verdict.culprits = add_faults(ranks, failed, verdict);
  } else if (std::any_of(ranks.begin(), ranks.end(), is_wrong)) {
    verdict.outcome = Outcome::corrupts;
    verdict.culprits = add_faults(ranks, is_wrong, verdict);
  } else {
    // Calls that differ have mixed the ranks' data, even if the program does not notice.
    verdict.outcome = ledger.mismatches().empty() ? Outcome::completes : Outcome::corrupts;
  }
  const Disagreement* first =
      detect::first_divergence(ledger, verdict.outcome == Outcome::corrupts);
  if (first != nullptr) add_cause(*first, ledger, verdict);
  return verdict;
}

Verdict verdict_of_launcher(std::vector<RankEnd> ranks, const detect::Ledger& ledger) {
  const auto launcher = std::exchange(ranks.front().ending, std::nullopt);
  Verdict verdict = verdict_of_end(ranks, ledger);
  if (!launcher || (!launcher->signaled && launcher->code == 0)) return verdict;
  verdict.outcome = launcher->signaled ? Outcome::crashes : Outcome::fails;
  verdict.notes.emplace_back(detect::phrase::Said{fmt::format(
      "The launcher {}. Only it knows how the ranks ended.",
      launcher->signaled
          ? fmt::format("was killed by signal {} ({})", launcher->code, strsignal(launcher->code))
          : fmt::format("exited with code {}", launcher->code))});
  return verdict;
}

void blame_standstill(const Verdict& before, const std::vector<int>& ranks, Verdict& end) {
  const bool ended_badly = end.outcome == Outcome::fails || end.outcome == Outcome::crashes;
  if (!ended_badly || before.cause == Cause::none || before.waiting.empty()) return;
  end.cause = before.cause;
  end.culprits = before.culprits;
  end.waiting = before.waiting;
  end.faults.insert(end.faults.begin(), before.faults.begin(), before.faults.end());
  end.cycle = before.cycle;
  end.divergence = before.divergence;
  end.notes.emplace_back(detect::phrase::EndedItself{ranks});
}

bool found_port_taken(const Observation& observation) {
  return !observation.ranks.empty() && observation.ranks.front().report.port_taken;
}

}  // namespace gridlock::run
