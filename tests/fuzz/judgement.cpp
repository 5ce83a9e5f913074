// Asks the oracle and the detector about one program, and compares their answers.
#include "tests/fuzz/judgement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"

namespace gridlock::fuzz {
namespace {

// Exploring more states than this takes too long in every run; the oracle's own tests explore more.
constexpr std::size_t kStates = 2000;

std::string stuck_sentence(const std::vector<int>& ranks) {
  return ranks.empty() ? "all ranks finish" : fmt::format("ranks {} never finish", ranks);
}

std::string_view name_of(Blame::Cause cause) {
  switch (cause) {
    case Blame::Cause::mismatch:
      return "mismatch";
    case Blame::Cause::left:
      return "rank_exited";
    case Blame::Cause::missing:
      return "missing_rank";
    case Blame::Cause::circle:
      return "cycle";
    case Blame::Cause::none:
      break;
  }
  return "none";
}

std::string disagreement(const Fate& fate, const Trial& trial) {
  const std::string foretold = "oracle: " + stuck_sentence(fate.stuck_ranks()) + "; ";
  switch (trial.end) {
    case Trial::End::failed:
      return foretold + "the run failed: " + trial.detail;
    case Trial::End::undecided:
      return foretold + "the detector never came to an end: " + trial.detail;
    case Trial::End::finished:
      if (!fate.dead() && trial.ever_proven.empty()) return "";
      if (fate.dead()) return foretold + "the run finished";
      return foretold + fmt::format("the detector said {} on the way, and the run finished",
                                    stuck_sentence(trial.ever_proven));
    case Trial::End::deadlock:
      break;
  }
  const std::vector<int> foretold_stuck = fate.stuck_ranks();
  if (trial.stuck != foretold_stuck) {
    return foretold + "detector: " + stuck_sentence(trial.stuck) + ": " +
           explanation(trial.verdict);
  }
  if (!std::includes(foretold_stuck.begin(), foretold_stuck.end(), trial.ever_proven.begin(),
                     trial.ever_proven.end())) {
    return foretold +
           fmt::format("the detector said {} on the way", stuck_sentence(trial.ever_proven));
  }
  if (trial.named != foretold_stuck) {
    return foretold + fmt::format("the verdict names {} as waiting: ", trial.named) +
           explanation(trial.verdict);
  }
  if (trial.verdict.culprits.empty()) return foretold + "the verdict blames no rank";
  if (to_string(trial.verdict.cause) != name_of(fate.blame.cause) ||
      (fate.blame.culprits && trial.verdict.culprits != *fate.blame.culprits)) {
    return foretold +
           fmt::format("{}, to blame {}; the verdict: {}, to blame {}: ", name_of(fate.blame.cause),
                       fate.blame.culprits.value_or(std::vector<int>{}),
                       to_string(trial.verdict.cause), trial.verdict.culprits) +
           explanation(trial.verdict);
  }
  if (!trial.verdict.assumptions.empty()) {
    return foretold +
           fmt::format("the proof assumes {}", detect::text_of(trial.verdict.assumptions.front()));
  }
  return "";
}

}  // namespace

Judgement judge(const Program& program, std::chrono::milliseconds patience) {
  Judgement judgement{foretell(program, kStates), run(program, patience), {}};
  judgement.disagreement = disagreement(judgement.fate, judgement.trial);
  return judgement;
}

}  // namespace gridlock::fuzz
