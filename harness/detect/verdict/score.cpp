// How far a verdict is right, in steps.
#include "harness/detect/verdict/score.h"

#include <algorithm>
#include <cctype>

namespace gridlock::detect {
namespace {

bool same_place(const Wait& wait, const Expectation::Wait& expected) {
  return (expected.communicator.empty() || wait.communicator == expected.communicator) &&
         (!expected.slot || wait.slot == *expected.slot);
}

// `caller` is "function (file:line)", the function with or without its namespace and arguments.
bool calls_from(const std::string& caller, const std::string& function) {
  const std::string name = caller.substr(0, caller.rfind(" ("));
  for (std::size_t at = name.find(function); at != std::string::npos;
       at = name.find(function, at + 1)) {
    const auto is_part = [&](std::size_t index) {
      const unsigned char c = index < name.size() ? static_cast<unsigned char>(name[index]) : 0;
      return std::isalnum(c) != 0 || c == '_';
    };
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + function.size())) return true;
  }
  return false;
}

bool same_call(const Wait& wait, const Expectation::Wait& expected) {
  return (expected.operation == record::Call::none || wait.operation == expected.operation ||
          wait.host_call == expected.operation) &&
         (expected.label.empty() || wait.label == expected.label) &&
         (expected.caller.empty() || calls_from(wait.caller, expected.caller));
}

// The ranks of all groups that match.
template <typename Matches>
std::vector<int> ranks_of(const std::vector<Wait>& waiting, Matches matches) {
  std::vector<int> ranks;
  for (const Wait& wait : waiting) {
    if (matches(wait)) ranks.insert(ranks.end(), wait.ranks.begin(), wait.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

bool right_places(const Verdict& verdict, const Expectation& expectation) {
  return std::all_of(
      expectation.waiting.begin(), expectation.waiting.end(), [&](const auto& expected) {
        const std::vector<int> ranks =
            ranks_of(verdict.waiting, [&](const Wait& wait) { return same_place(wait, expected); });
        return !ranks.empty() &&
               (!expected.ranks || std::includes(ranks.begin(), ranks.end(),
                                                 expected.ranks->begin(), expected.ranks->end()));
      });
}

bool right_calls(const Verdict& verdict, const Expectation& expectation) {
  return std::all_of(
      expectation.waiting.begin(), expectation.waiting.end(), [&](const auto& expected) {
        const std::vector<int> ranks = ranks_of(verdict.waiting, [&](const Wait& wait) {
          return same_place(wait, expected) && same_call(wait, expected);
        });
        return !ranks.empty() && (!expected.ranks || ranks == *expected.ranks);
      });
}

}  // namespace

Score score(const Verdict& verdict, const Expectation& declared) {
  Expectation expectation = declared;
  std::sort(expectation.culprits.begin(), expectation.culprits.end());
  for (Expectation::Wait& wait : expectation.waiting) {
    if (wait.ranks) std::sort(wait.ranks->begin(), wait.ranks->end());
  }
  const auto& accepted = expectation.outcomes;
  const bool as_declared =
      std::find(accepted.begin(), accepted.end(), verdict.outcome) != accepted.end();
  const bool may_hang = std::any_of(accepted.begin(), accepted.end(), hangs);

  Score result;
  // If no hang is declared, every culprit of a hang verdict is innocent.
  const bool compares_culprits = !expectation.culprits.empty() || !may_hang;
  const bool accuses = hangs(verdict.outcome) || !expectation.culprits.empty();
  if (compares_culprits && accuses) {
    result.noise = static_cast<int>(
        std::count_if(verdict.culprits.begin(), verdict.culprits.end(), [&](int rank) {
          return !std::binary_search(expectation.culprits.begin(), expectation.culprits.end(),
                                     rank);
        }));
  }
  if (!as_declared) {
    result.steps = hangs(verdict.outcome) && may_hang ? 1 : 0;
    return result;
  }
  if (!hangs(verdict.outcome)) {
    const bool clean = verdict.outcome != Outcome::completes || verdict.culprits.empty();
    result.steps = result.noise == 0 && clean ? 5 : 4;
    return result;
  }
  result.steps = 1;
  if (expectation.cause != Cause::none && verdict.cause != expectation.cause) return result;
  result.steps = 2;
  if (!right_places(verdict, expectation)) return result;
  result.steps = 3;
  if (!std::includes(verdict.culprits.begin(), verdict.culprits.end(), expectation.culprits.begin(),
                     expectation.culprits.end())) {
    return result;
  }
  result.steps = 4;
  if (!right_calls(verdict, expectation) || result.noise > 0) return result;
  result.steps = 5;
  return result;
}

}  // namespace gridlock::detect
