// Exit codes, signals and reports to an outcome; disagreements on the way to its cause.
#include "harness/run/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"

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

// Ranks for which `holds`, and for each kind of end a phrase.
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

// Where most agree, those who differ; on a tie everybody.
std::vector<int> to_blame(const Disagreement& disagreement) {
  std::size_t most = 0;
  for (const auto& side : disagreement.sides) most = std::max(most, side.ranks.size());
  const auto winners = std::count_if(disagreement.sides.begin(), disagreement.sides.end(),
                                     [&](const auto& side) { return side.ranks.size() == most; });
  std::vector<int> blamed;
  for (const auto& side : disagreement.sides) {
    if (winners == 1 && side.ranks.size() == most) continue;
    blamed.insert(blamed.end(), side.ranks.begin(), side.ranks.end());
  }
  std::sort(blamed.begin(), blamed.end());
  return blamed;
}

// The first mismatch of the run; where there is none, and the numbers are wrong, the first slot at
// which calls for different purposes met.
const Disagreement* first_disagreement(const detect::Ledger& ledger, bool numbers_wrong) {
  if (!ledger.mismatches().empty()) return &ledger.mismatches().front();
  if (numbers_wrong && !ledger.label_disagreements().empty()) {
    return &ledger.label_disagreements().front();
  }
  return nullptr;
}

void add_cause(const detect::Ledger& ledger, Verdict& verdict) {
  const Disagreement* first = first_disagreement(ledger, verdict.outcome == Outcome::corrupts);
  if (first == nullptr) return;
  Disagreement found = *first;
  // They stand in the order in which the ranks were looked at, which another run need not repeat.
  std::sort(found.sides.begin(), found.sides.end(),
            [](const auto& a, const auto& b) { return a.ranks.front() < b.ranks.front(); });
  verdict.cause = Cause::mismatch;
  verdict.culprits = to_blame(found);
  detect::phrase::Crossed crossed{
      .communicator = found.communicator, .slot = found.slot, .sides = {}};
  for (const auto& side : found.sides) {
    crossed.sides.push_back(
        {.ranks = side.ranks, .shape = side.shape, .label = std::string(side.label.view())});
    detect::Wait wait;
    wait.ranks = side.ranks;
    wait.operation = side.shape.call;
    wait.communicator_id = found.communicator_id;
    wait.communicator = found.communicator;
    wait.slot = found.slot;
    wait.label = side.label.view();
    verdict.waiting.push_back(wait);
  }
  verdict.notes.emplace_back(std::move(crossed));
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
    verdict.outcome = Outcome::completes;
    return verdict;
  }
  add_cause(ledger, verdict);
  return verdict;
}

bool found_port_taken(const Observation& observation) {
  return !observation.ranks.empty() && observation.ranks.front().report.port_taken;
}

}  // namespace gridlock::run
