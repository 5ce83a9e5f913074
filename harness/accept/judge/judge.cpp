// The rules for each kind of check.
#include "harness/accept/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/accept/judge/advice.h"
#include "harness/accept/judge/bandwidth.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/formats/text.h"

namespace gridlock::accept {
namespace {

using detect::Outcome;
using report::Run;
using report::Status;

const Run* first(const std::vector<Run>& runs, bool (*is)(const Run&)) {
  const auto found = std::find_if(runs.begin(), runs.end(), is);
  return found == runs.end() ? nullptr : &*found;
}

bool is_error(const Run& run) { return run.status == Status::error; }
bool is_skipped(const Run& run) { return run.status == Status::skipped; }
bool is_wrong(const Run& run) { return run.status == Status::judged && !run.as_declared; }

// Wrong numbers or a crash in a program that should work: once is too often.
bool is_grave(const Run& run) {
  const bool is_bad =
      run.verdict.outcome == Outcome::corrupts || run.verdict.outcome == Outcome::crashes;
  return is_wrong(run) && is_bad && run.role != "broken" && run.role != "remedy";
}

std::string expected_text(const Run& run) {
  std::string text;
  for (const Outcome outcome : run.expected) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", to_string(outcome));
  }
  return text.empty() ? "completes" : text;
}

std::string repetition_text(const Run& run) { return fmt::format("run {}", run.repetition + 1); }

// What the detector says about a run that went wrong.
std::string evidence_of(const Run& run) {
  std::string text = fmt::format("{}: {}", repetition_text(run), detect::verdict_text(run.verdict));
  const std::string explained = explanation(run.verdict);
  if (!explained.empty()) text += fmt::format("  {}\n", explained);
  if (!run.numbers_detail.empty()) text += fmt::format("  {}\n", run.numbers_detail);
  return text;
}

// The ranks that a bad run accuses. Nobody if the variant must go wrong, because then its program
// is to blame.
std::vector<int> accused(const Run& run) {
  return run.role == "broken" || run.role == "remedy" ? std::vector<int>{} : run.verdict.culprits;
}

void judge_verdicts(const std::vector<Run>& runs, const Facts& facts, Result& result) {
  const Run* wrong = first(runs, is_grave);
  const bool once_too_often = wrong != nullptr;
  if (wrong == nullptr) wrong = first(runs, is_wrong);
  const auto bad = static_cast<int>(std::count_if(runs.begin(), runs.end(), is_wrong));
  if (wrong == nullptr) {
    result.answer = Answer::pass;
    result.reason = fmt::format("as declared in {} of {} runs: {}", result.passed, result.runs,
                                detect::headline(runs.front().verdict));
    return;
  }
  // A run that could not be judged counts neither for nor against.
  const bool always = result.passed == 0;
  result.answer = always || once_too_often ? Answer::fail : Answer::inconclusive;
  result.reason =
      fmt::format("{} in {} of {} runs, where {} was declared", detect::headline(wrong->verdict),
                  bad, result.runs, expected_text(*wrong));
  if (!always && !once_too_often) result.reason = "flaky: " + result.reason;
  result.evidence = evidence_of(*wrong);
  result.advice = result.answer == Answer::fail ? advice_on(wrong->verdict.outcome, wrong->role)
                                                : advice_on_flakiness(result.id);
  accuse(result, accused(*wrong), facts);
}

std::optional<double> median_of(const Run& run, const char* figure) {
  const auto found = run.figures.find(figure);
  if (found == run.figures.end()) return {};
  const auto all = report::spread(found->second);
  return all ? std::optional(all->median) : std::nullopt;
}

void judge_scaling(const Check& check, const std::vector<Run>& runs, const Facts& facts,
                   Result& result) {
  if (facts.backend != "cuda" || shares_gpus(check, facts)) {
    result.answer = Answer::inconclusive;
    result.reason = "a speed-up needs a GPU for each rank";
    result.advice = advice_on_sharing();
    return;
  }
  std::vector<double> all;
  for (const Run& run : runs) {
    if (const auto speed_up = median_of(run, kSpeedUp)) all.push_back(*speed_up);
  }
  if (all.size() < runs.size()) {
    result.answer = Answer::infrastructure;
    result.reason = fmt::format("a run did not report {}", kSpeedUp);
    return;
  }
  result.figure =
      Figure{.unit = "x", .spread = *report::spread(all), .floor = check.least_speed_up};
  const auto [least, greatest] = std::minmax_element(all.begin(), all.end());
  const std::string found =
      fmt::format("{:.2f}x on {} ranks ({:.2f}-{:.2f}, n = {}), promised {:.1f}-{:.1f}x",
                  result.figure->spread.median, check.ranks, *least, *greatest, all.size(),
                  check.least_speed_up, check.usual_speed_up);
  if (*greatest > 1.05 * check.ranks) {
    result.answer = Answer::inconclusive;
    result.reason = found + ": more than linear, so the run on one rank was disturbed";
    result.advice = advice_on_noise(check.id);
  } else if (*least >= check.least_speed_up) {
    result.answer = Answer::pass;
    result.reason = found;
  } else if (*greatest < check.least_speed_up) {
    result.answer = Answer::fail;
    result.reason = found;
    result.advice = advice_on_slowness(facts.baseline.has_value());
  } else {
    result.answer = Answer::inconclusive;
    result.reason = "too noisy: " + found;
    result.advice = advice_on_noise(check.id);
  }
}

int count(const Run& soak, const char* figure) {
  const auto found = soak.figures.find(figure);
  return found == soak.figures.end() || found->second.empty()
             ? 0
             : static_cast<int>(found->second.front());
}

// A soak is many runs in one: some may be wrong, others in error.
bool is_wrong_soak(const Run& soak) {
  return count(soak, kFalseAlarms) + count(soak, kOtherFailures) > 0;
}

void judge_soak(const Run& run, Result& result) {
  const int alarms = count(run, kFalseAlarms);
  const int others = count(run, kOtherFailures);
  result.runs = count(run, kSoakRuns);
  result.passed = result.runs - alarms - others - count(run, kUnjudged);
  result.evidence = explanation(run.verdict);
  result.reason = fmt::format("{} runs: {} false alarms, {} others not as declared", result.runs,
                              alarms, others);
  if (!run.reason.empty()) result.reason += "; " + run.reason;
  result.answer = is_wrong_soak(run) ? Answer::fail
                  : result.runs == 0 ? Answer::inconclusive
                                     : Answer::pass;
  if (result.answer == Answer::fail) result.advice = advice_on(Outcome::stall, "control");
  if (result.answer == Answer::inconclusive) result.advice = advice_on_noise(result.id);
}

Result begin(const Check& check) {
  Result result;
  result.id = check.id;
  result.kind = check.kind;
  result.ranks = check.ranks;
  result.tags = check.tags;
  result.needed = check.needed;
  result.excuse = check.excuse;
  return result;
}

}  // namespace

Result judge(const Check& check, const std::vector<Run>& runs, const Facts& facts) {
  Result result = begin(check);
  result.runs = static_cast<int>(runs.size());
  result.passed = static_cast<int>(std::count_if(runs.begin(), runs.end(), [](const Run& run) {
    return run.status == Status::judged && run.as_declared;
  }));
  const bool is_soak = check.kind == Kind::soak;
  const bool is_wrong_somewhere = first(runs, is_soak ? is_wrong_soak : is_wrong) != nullptr;
  const Run* error = first(runs, is_error);
  const Run* skipped = first(runs, is_skipped);
  if (!is_wrong_somewhere && error != nullptr) {
    result.answer = Answer::infrastructure;
    result.reason = error->reason;
    result.advice = advice_on_infrastructure();
  } else if (!is_wrong_somewhere && skipped != nullptr) {
    return not_run(check, skipped->reason);
  } else if (is_soak) {
    judge_soak(runs.front(), result);
  } else if (is_wrong_somewhere || check.kind == Kind::scenario) {
    judge_verdicts(runs, facts, result);
  } else if (check.kind == Kind::scaling) {
    judge_scaling(check, runs, facts, result);
  } else {
    judge_bandwidth(check, runs, facts, result);
  }
  return result;
}

Result not_run(const Check& check, const std::string& why) {
  Result result = begin(check);
  result.was_run = false;
  result.reason = why;
  if (check.needed) result.advice = advice_on_missing();
  return result;
}

}  // namespace gridlock::accept
