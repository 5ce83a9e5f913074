// Asks the oracle and the detector about one program, and compares their answers.
#include "tests/fuzz/judgement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"

namespace gridlock::fuzz {
namespace {

// Exploring more states than this takes too long in every run; the oracle's own tests explore more.
constexpr std::size_t kStates = 2000;
// How long a program may stay undecided that drops work.
constexpr std::chrono::milliseconds kBriefly{1000};

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

// Where the rules say who is to blame, whatever the program.
std::string disagreement_on_blame(const Blame& blame, const detect::Verdict& verdict) {
  if (to_string(verdict.cause) == name_of(blame.cause) &&
      (!blame.culprits || verdict.culprits == *blame.culprits)) {
    return "";
  }
  return fmt::format("{}, to blame {}; the verdict: {}, to blame {}: ", name_of(blame.cause),
                     blame.culprits.value_or(std::vector<int>{}), to_string(verdict.cause),
                     verdict.culprits) +
         explanation(verdict);
}

// That no kernel fails.
bool is_of_failures(const detect::Phrase& phrase) {
  const auto* assumes = std::get_if<detect::phrase::Assumes>(&phrase);
  return assumes != nullptr && assumes->what == detect::phrase::Assumes::What::no_failures;
}

// How the run contradicts this end. `rules_blame`: the oracle's rules say who is to blame.
std::string disagreement(const Fate& fate, const Trial& trial, bool rules_blame) {
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
  std::vector<int> foretold_stuck = fate.stuck_ranks();
  if (trial.stay_together && !foretold_stuck.empty()) foretold_stuck = trial.stuck;
  if (trial.is_part && std::ranges::includes(foretold_stuck, trial.stuck)) {
    foretold_stuck = trial.stuck;  // the others were on their way
    rules_blame = rules_blame && trial.stuck == fate.stuck_ranks();
  }
  if (trial.stuck != foretold_stuck) {
    return foretold + "detector: " + stuck_sentence(trial.stuck) + ": " +
           explanation(trial.verdict);
  }
  if (!std::includes(foretold_stuck.begin(), foretold_stuck.end(), trial.ever_proven.begin(),
                     trial.ever_proven.end())) {
    return foretold +
           fmt::format("the detector said {} on the way", stuck_sentence(trial.ever_proven));
  }
  // A rank that sleeps in its own code need not be named if others explain the hang.
  // Of a part, a rank need not be proven dead to be seen to wait.
  const bool may_leave_out =
      (trial.may_assume && std::ranges::includes(foretold_stuck, trial.named)) ||
      (trial.is_part && std::ranges::includes(fate.stuck_ranks(), trial.named));
  if (trial.named != foretold_stuck && !may_leave_out) {
    return foretold + fmt::format("the verdict names {} as waiting: ", trial.named) +
           explanation(trial.verdict);
  }
  if (trial.verdict.culprits.empty()) {
    return foretold + "the verdict blames no rank: " + explanation(trial.verdict);
  }
  if (const std::string blame = disagreement_on_blame(fate.blame, trial.verdict);
      rules_blame && !blame.empty()) {
    return foretold + blame;
  }
  // The program has no kernels but NCCL's; the detector cannot know.
  const auto assumed = std::ranges::find_if_not(trial.verdict.assumptions, is_of_failures);
  if (!trial.may_assume && assumed != trial.verdict.assumptions.end()) {
    return foretold + fmt::format("the proof assumes {}", detect::text_of(*assumed));
  }
  return "";
}

// Whether the run came to no end, and the record cannot tell why: a rank dropped work, of which the
// others may have got the data, or two of its threads raced.
bool may_be_undecided(const Program& program, const Foresight& foresight, const Trial& trial) {
  const auto is_dead = [](const Fate& fate) { return fate.dead(); };
  return trial.end == Trial::End::undecided && (drops_work(program) || trial.raced) &&
         std::ranges::any_of(foresight.fates, is_dead);
}

}  // namespace

std::string disagreement(const Program& program, const Foresight& foresight, const Trial& trial) {
  if (may_be_undecided(program, foresight, trial)) return "";
  const bool open = is_open(program);
  std::string first;
  for (const Fate& fate : foresight.fates) {
    const bool rules_blame =
        !open && !program.lazy && !trial.may_assume && !has_gatherings(program);
    const std::string why = disagreement(fate, trial, rules_blame);
    if (why.empty()) return "";
    if (first.empty()) first = why;
  }
  if (foresight.exhaustive || !open) return first;
  const bool contradicts_itself = trial.end == Trial::End::finished
                                      ? !trial.ever_proven.empty()
                                      : trial.end != Trial::End::deadlock;
  return contradicts_itself ? first : "";
}

std::vector<int> named_in(const detect::Verdict& verdict) {
  std::set<int> named;
  for (const detect::Wait& wait : verdict.waiting) {
    named.insert(wait.ranks.begin(), wait.ranks.end());
  }
  return {named.begin(), named.end()};
}

Judgement judge(const Program& program, std::chrono::milliseconds patience) {
  const bool briefly = drops_work(program) && patience > kBriefly;
  Judgement judgement{foretell(program, kStates), run(program, briefly ? kBriefly : patience), {}};
  judgement.disagreement = disagreement(program, judgement.foresight, judgement.trial);
  return judgement;
}

}  // namespace gridlock::fuzz
