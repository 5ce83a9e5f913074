// The loop over checks and repetitions, and what a limit leaves unfinished.
#include "harness/accept/execute.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/accept/judge/advice.h"
#include "harness/detect/words/verdict_text.h"

namespace gridlock::accept {
namespace {

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

bool is_good(const report::Run& run) {
  return run.status == report::Status::judged && run.as_declared;
}

// A run that its limit ended need not hang: ranks still moved, or too little time was left to call
// it a stall.
bool was_cut_off(const report::Run& run, Duration took, Duration limit) {
  return took >= limit && run.status == report::Status::judged &&
         run.verdict.outcome == detect::Outcome::stall;
}

class Execution {
 public:
  Execution(const Facts& facts, const Bounds& bounds, Machine& machine)
      : facts_(facts), bounds_(bounds), machine_(machine), began_(machine.now()) {}

  // Nothing if the run was asked to end meanwhile.
  std::optional<Result> result_of(const Check& check) {
    if (!check.cannot.empty()) return not_run(check, check.cannot);
    if (failures_ > 0 && failures_ == bounds_.stop_after) {
      return left_out(check, fmt::format("not run: --stop-after {}", bounds_.stop_after));
    }
    const Duration limit = std::min(check.limit, left_of_all());
    if (limit <= Duration(0)) {
      return left_out(check, fmt::format("not run: the whole run's limit of {:.0f} s is over",
                                         seconds(bounds_.whole)));
    }
    machine_.begin(check);
    auto result = run(check, machine_.now() + limit);
    if (result) {
      for (Culprit& culprit : result->culprits) machine_.locate(culprit);
    }
    if (result && result->answer == Answer::fail && !is_excused(*result)) ++failures_;
    return result;
  }

  double elapsed() { return seconds(machine_.now() - began_); }

 private:
  Duration left_of_all() {
    return bounds_.whole > Duration(0) ? began_ + bounds_.whole - machine_.now() : Duration::max();
  }

  static Result left_out(const Check& check, const std::string& why) {
    Result result = not_run(check, why);
    result.needed = true;  // the user asked for it, and its answer is unknown
    result.advice = "Continue with --resume.";
    return result;
  }

  std::optional<Result> run(const Check& check, Duration deadline) {
    const bool is_soak = check.kind == Kind::soak;
    const int repeat = is_soak ? 1 : bounds_.until_fail > 0 ? bounds_.until_fail : check.repeat;
    const Duration began = machine_.now();
    std::vector<report::Run> runs;
    for (int repetition = 0; repetition < repeat; ++repetition) {
      const Duration run_began = machine_.now();
      const Duration left = deadline - run_began;
      if (left <= Duration(0)) break;
      report::Run run = machine_.run(check, repetition, left);
      if (!machine_.interrupted().empty()) return {};
      if (was_cut_off(run, machine_.now() - run_began, left)) return cut_off(check, runs, run);
      runs.push_back(std::move(run));
      const bool is_useless = runs.back().status != report::Status::judged;
      if (is_useless || (bounds_.until_fail > 0 && !is_good(runs.back()))) break;
    }
    Result result = judge(check, runs, facts_);
    if (result.answer == Answer::pass) tell_if_short(check, result, repeat, deadline - began);
    return result;
  }

  // All runs were good, but there were fewer than the profile asks for.
  static void tell_if_short(const Check& check, Result& result, int repeat, Duration had) {
    if (result.runs < repeat) {
      result.reason = fmt::format(
          "its limit ended it after {} of {} runs, and all of them were good", result.runs, repeat);
      result.advice = "Give it a longer limit in the profile, or fewer repetitions.";
    } else if (check.kind == Kind::soak && had < check.soak) {
      result.reason = fmt::format(
          "the limit of the whole run ended the soak after {:.0f} of {:.0f} s; "
          "all its runs were good",
          seconds(had), seconds(check.soak));
      result.advice = "Give the profile a longer limit.";
    } else {
      return;
    }
    result.answer = Answer::inconclusive;
  }

  Result cut_off(const Check& check, const std::vector<report::Run>& runs,
                 const report::Run& last) {
    // A bad result from earlier runs stands.
    if (!runs.empty()) {
      Result before = judge(check, runs, facts_);
      if (before.answer != Answer::pass) return before;
    }
    Result result = not_run(
        check, fmt::format("its limit ended run {}, which was still going on and not silent for "
                           "long enough to be a stall",
                           runs.size() + 1));
    result.was_run = true;
    result.runs = static_cast<int>(runs.size()) + 1;
    result.passed = static_cast<int>(runs.size());
    result.evidence = detect::verdict_text(last.verdict) + explanation(last.verdict) + "\n";
    result.advice =
        "Give it a longer limit in the profile; if this machine finished it in time "
        "before, compare NCCL and driver versions.";
    return result;
  }

  const Facts& facts_;
  const Bounds& bounds_;
  Machine& machine_;
  Duration began_;
  int failures_ = 0;
};

}  // namespace

void execute(const std::vector<Check>& checks, const std::vector<Result>& earlier,
             const Facts& facts, const Bounds& bounds, Machine& machine, Acceptance& acceptance) {
  Execution execution(facts, bounds, machine);
  const double before = acceptance.seconds;
  for (const Check& check : checks) {
    const auto known = std::find_if(earlier.begin(), earlier.end(),
                                    [&](const Result& result) { return result.id == check.id; });
    if (known != earlier.end()) {
      acceptance.results.push_back(*known);
      continue;
    }
    acceptance.ended = machine.interrupted();
    if (!acceptance.ended.empty()) return;
    auto result = execution.result_of(check);
    acceptance.seconds = before + execution.elapsed();
    if (!result) {
      acceptance.ended = machine.interrupted();
      return;
    }
    acceptance.results.push_back(std::move(*result));
    machine.done(acceptance);
  }
}

}  // namespace gridlock::accept
