// The loop over checks, on a scripted machine with a manual clock.
#include "harness/accept/execute.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/harness/accept/checks.h"

namespace gridlock::accept {
namespace {

using detect::Outcome;

// Each run takes a second, and is good unless the script says otherwise.
class Scripted : public Machine {
 public:
  std::map<std::string, std::function<report::Run(int)>> script;
  std::map<std::string, int> runs;
  std::string end_before;  // the check at which the run is asked to end
  Duration took = std::chrono::seconds(1);
  Duration clock{};
  std::vector<Duration> limits;

  report::Run run(const Check& check, int repetition, Duration limit) override {
    ++runs[check.id];
    limits.push_back(limit);
    clock += std::min(took, limit);
    if (check.id == end_before) interrupted_ = true;
    const auto found = script.find(check.id);
    return found == script.end() ? good_run(repetition) : found->second(repetition);
  }
  std::string interrupted() override { return interrupted_ ? "ended by SIGINT" : ""; }
  Duration now() override { return clock; }
  void locate(Culprit& culprit) override { culprit.host = "node-b"; }
  void begin(const Check&) override {}
  void done(const Acceptance&) override { ++written; }

  int written = 0;

 private:
  bool interrupted_ = false;
};

std::vector<Check> three() {
  return {scenario_check("a@4"), scenario_check("b@4"), scenario_check("c@4")};
}

Acceptance executed(Scripted& machine, const Bounds& bounds = {},
                    const std::vector<Check>& checks = three(),
                    const std::vector<Result>& earlier = {}) {
  Acceptance acceptance;
  acceptance.planned = static_cast<int>(checks.size());
  const Facts facts{.host = "h", .backend = "sim", .gpu = "", .gpus = {}, .baseline = {}};
  execute(checks, earlier, facts, bounds, machine, acceptance);
  return acceptance;
}

TEST(Execute, RunsEachCheckAsOftenAsItSays) {
  Scripted machine;
  const Acceptance acceptance = executed(machine);
  EXPECT_EQ(answer_of(acceptance), Answer::pass);
  EXPECT_EQ(machine.runs, (std::map<std::string, int>{{"a@4", 3}, {"b@4", 3}, {"c@4", 3}}));
  EXPECT_EQ(machine.written, 3);
  EXPECT_DOUBLE_EQ(acceptance.seconds, 9);
}

TEST(Execute, ARunGetsWhatIsLeftOfItsChecksLimit) {
  Scripted machine;
  executed(machine, {}, {scenario_check()});
  EXPECT_EQ(machine.limits,
            (std::vector<Duration>{std::chrono::seconds(10), std::chrono::seconds(9),
                                   std::chrono::seconds(8)}));
}

TEST(Execute, RepeatsUntilItFails) {
  Scripted machine;
  machine.script["b@4"] = [](int repetition) {
    return repetition == 4 ? bad_run(Outcome::deadlock, 4) : good_run(repetition);
  };
  const Acceptance acceptance = executed(machine, {.whole = {}, .stop_after = 0, .until_fail = 8});
  EXPECT_EQ(machine.runs["a@4"], 8);
  EXPECT_EQ(machine.runs["b@4"], 5);
  EXPECT_EQ(acceptance.results[1].answer, Answer::inconclusive);  // flaky: 1 of 5
}

TEST(Execute, ACulpritIsWhereTheMachineSays) {
  Scripted machine;
  machine.script["a@4"] = [](int repetition) { return bad_run(Outcome::deadlock, repetition); };
  const Acceptance acceptance = executed(machine, {}, {scenario_check("a@4")});
  ASSERT_EQ(acceptance.results[0].culprits.size(), 1U);
  EXPECT_EQ(acceptance.results[0].culprits[0].host, "node-b");
}

TEST(Execute, StopsAfterSoManyFailures) {
  Scripted machine;
  machine.script["a@4"] = [](int repetition) { return bad_run(Outcome::deadlock, repetition); };
  const Acceptance acceptance = executed(machine, {.whole = {}, .stop_after = 1, .until_fail = 0});
  EXPECT_EQ(machine.runs.count("b@4"), 0U);
  ASSERT_EQ(acceptance.results.size(), 3U);
  EXPECT_FALSE(acceptance.results[1].was_run);
  EXPECT_EQ(acceptance.results[1].reason, "not run: --stop-after 1");
  EXPECT_EQ(answer_of(acceptance), Answer::fail);
}

TEST(Execute, AnExcusedFailureStopsNothing) {
  Scripted machine;
  machine.script["a@4"] = [](int repetition) { return bad_run(Outcome::deadlock, repetition); };
  auto checks = three();
  checks[0].excuse = Excuse{.kind = Excuse::Kind::expected, .why = "ticket OPS-1"};
  const Acceptance acceptance =
      executed(machine, {.whole = {}, .stop_after = 1, .until_fail = 0}, checks);
  EXPECT_EQ(machine.runs["c@4"], 3);
  EXPECT_EQ(answer_of(acceptance), Answer::pass);
}

TEST(Execute, TheWholeRunsLimitLeavesTheRestOpen) {
  Scripted machine;
  const Acceptance acceptance = executed(
      machine, {.whole = std::chrono::milliseconds(3500), .stop_after = 0, .until_fail = 0});
  EXPECT_EQ(acceptance.results[0].answer, Answer::pass);
  EXPECT_EQ(acceptance.results[1].answer, Answer::inconclusive);
  EXPECT_EQ(acceptance.results[1].reason,
            "its limit ended it after 1 of 3 runs, and all of them were good");
  EXPECT_EQ(acceptance.results[2].reason, "not run: the whole run's limit of 4 s is over");
  EXPECT_EQ(answer_of(acceptance), Answer::inconclusive);
}

TEST(Execute, ARunThatItsLimitEndsIsNoHang) {
  Scripted machine;
  machine.took = std::chrono::seconds(60);
  machine.script["a@4"] = [](int repetition) { return bad_run(Outcome::stall, repetition); };
  const Acceptance acceptance = executed(machine, {}, {scenario_check("a@4")});
  EXPECT_EQ(acceptance.results[0].answer, Answer::inconclusive);
  EXPECT_EQ(
      acceptance.results[0].reason,
      "its limit ended run 1, which was still going on and not silent for long enough to be a "
      "stall");
  EXPECT_NE(acceptance.results[0].evidence.find("stall"), std::string::npos);
}

TEST(Execute, ASoakThatHadLessTimeThanItAskedForHasNotPassed) {
  Check soak = scenario_check("soak@4");
  soak.kind = Kind::soak;
  soak.repeat = 1;
  soak.soak = std::chrono::seconds(8);
  Scripted machine;
  machine.took = soak.soak;
  machine.script["soak@4"] = [](int repetition) {
    report::Run run = good_run(repetition);
    run.figures = {{kSoakRuns, {9}}, {kFalseAlarms, {0}}, {kOtherFailures, {0}}};
    return run;
  };
  EXPECT_EQ(executed(machine, {}, {soak}).results[0].answer, Answer::pass);
  const Acceptance acceptance = executed(
      machine, {.whole = std::chrono::seconds(5), .stop_after = 0, .until_fail = 0}, {soak});
  EXPECT_EQ(acceptance.results[0].answer, Answer::inconclusive);
  EXPECT_EQ(acceptance.results[0].reason,
            "the limit of the whole run ended the soak after 5 of 8 s; all its runs were good");
}

TEST(Execute, AStallBeforeTheLimitIsAFail) {
  Scripted machine;
  machine.script["a@4"] = [](int repetition) { return bad_run(Outcome::stall, repetition); };
  EXPECT_EQ(executed(machine, {}, {scenario_check("a@4")}).results[0].answer, Answer::fail);
}

TEST(Execute, WhatCannotRunIsNotStarted) {
  Scripted machine;
  auto checks = three();
  checks[1].cannot = "needs 8 GPUs";
  const Acceptance acceptance = executed(machine, {}, checks);
  EXPECT_EQ(machine.runs.count("b@4"), 0U);
  EXPECT_EQ(acceptance.results[1].reason, "needs 8 GPUs");
  EXPECT_EQ(answer_of(acceptance), Answer::inconclusive);
}

TEST(Execute, AnInterruptedRunThatGoesOnEqualsAnUninterruptedOne) {
  Scripted whole;
  whole.script["c@4"] = [](int repetition) { return bad_run(Outcome::deadlock, repetition); };
  const Acceptance uninterrupted = executed(whole);

  Scripted first;
  first.end_before = "b@4";
  const Acceptance begun = executed(first);
  EXPECT_EQ(begun.results.size(), 1U);  // what ran while it was asked to end does not count
  EXPECT_EQ(begun.ended, "ended by SIGINT");
  Scripted second;
  second.script = whole.script;
  const Acceptance finished = executed(second, {}, three(), begun.results);
  EXPECT_EQ(second.runs.count("a@4"), 0U);
  ASSERT_EQ(finished.results.size(), uninterrupted.results.size());
  for (std::size_t i = 0; i < finished.results.size(); ++i) {
    EXPECT_EQ(finished.results[i].id, uninterrupted.results[i].id);
    EXPECT_EQ(finished.results[i].answer, uninterrupted.results[i].answer);
    EXPECT_EQ(finished.results[i].reason, uninterrupted.results[i].reason);
  }
}

}  // namespace
}  // namespace gridlock::accept
