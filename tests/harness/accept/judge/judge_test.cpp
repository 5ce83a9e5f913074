// How runs become answers.
#include "harness/accept/judge/judge.h"

#include <gtest/gtest.h>

#include "tests/harness/accept/checks.h"

namespace gridlock::accept {
namespace {

using detect::Outcome;

const Facts kSimFacts{.host = "node-a", .backend = "sim", .gpu = "", .gpus = {}, .baseline = {}};

Facts gpus(int count) {
  Facts facts{.host = "node-a", .backend = "cuda", .gpu = "8 x H200", .gpus = {}, .baseline = {}};
  for (int i = 0; i < count; ++i) {
    facts.gpus.push_back({.name = "H200",
                          .uuid = "GPU-" + std::to_string(i),
                          .serial = "16500" + std::to_string(i)});
  }
  return facts;
}

std::vector<int> culprits(const Result& result) {
  std::vector<int> ranks;
  for (const Culprit& culprit : result.culprits) ranks.push_back(culprit.rank);
  return ranks;
}

TEST(JudgeScenario, AsDeclaredEveryTimeIsAPass) {
  const Result result = judge(scenario_check(), {good_run(0), good_run(1)}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::pass);
  EXPECT_EQ(result.passed, 2);
  EXPECT_EQ(result.advice, "");
}

TEST(JudgeScenario, NeverAsDeclaredIsAFailWithItsCulprit) {
  const Result result = judge(
      scenario_check(), {bad_run(Outcome::deadlock, 0), bad_run(Outcome::deadlock, 1)}, gpus(4));
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(culprits(result), std::vector<int>{2});
  EXPECT_EQ(result.culprits[0].host, "node-a");
  EXPECT_EQ(result.culprits[0].gpu->serial, "165002");
  EXPECT_NE(result.evidence.find("Rank 2 is gone."), std::string::npos);
  EXPECT_NE(result.advice.find("Drain the node"), std::string::npos);
}

TEST(JudgeScenario, NowAndThenIsFlaky) {
  const Result result =
      judge(scenario_check(), {good_run(0), bad_run(Outcome::deadlock, 1), good_run(2)}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::inconclusive);
  EXPECT_EQ(result.reason.find("flaky: deadlock"), 0U) << result.reason;
  EXPECT_NE(result.reason.find("1 of 3 runs"), std::string::npos);
  EXPECT_NE(result.advice.find("--repeat-until-fail"), std::string::npos);
}

TEST(JudgeScenario, WrongNumbersAndCrashesAreOnceTooOften) {
  for (const Outcome outcome : {Outcome::corrupts, Outcome::crashes}) {
    EXPECT_EQ(judge(scenario_check(), {good_run(0), bad_run(outcome, 1)}, kSimFacts).answer,
              Answer::fail);
  }
}

TEST(JudgeScenario, AProgramThatIsWrongOnPurposeAccusesNobody) {
  report::Run run = bad_run(Outcome::completes);
  run.role = "broken";
  run.expected = {Outcome::deadlock};
  const Result result = judge(scenario_check(), {run}, gpus(4));
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_TRUE(result.culprits.empty());
  EXPECT_NE(result.advice.find("NCCL"), std::string::npos);
}

TEST(JudgeScenario, AFaultOfTheHarnessIsInfrastructure) {
  report::Run run = good_run();
  run.status = report::Status::error;
  run.reason = "no memory";
  const Result result = judge(scenario_check(), {good_run(), run}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::infrastructure);
  EXPECT_EQ(result.reason, "no memory");
  // A run that is known to be wrong matters more.
  EXPECT_EQ(judge(scenario_check(), {bad_run(Outcome::deadlock), run}, kSimFacts).answer,
            Answer::fail);
}

TEST(JudgeScenario, WhatIsSkippedWasNotRun) {
  report::Run run = good_run();
  run.status = report::Status::skipped;
  run.reason = "needs 2 GPUs";
  const Result result = judge(scenario_check(), {run}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::inconclusive);
  EXPECT_FALSE(result.was_run);
  EXPECT_EQ(result.reason, "needs 2 GPUs");
}

Check with_floor(double gigabytes) {
  Check check = collective_check();
  check.floors.least = gigabytes * 1e9;
  return check;
}

TEST(JudgeBandwidth, AtTheFloorPasses) {
  const Result result = judge(with_floor(90), {measured_run({90, 100, 100, 100})}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::pass);
  EXPECT_DOUBLE_EQ(result.figure->spread.median, 90);  // the worst rank's
  EXPECT_DOUBLE_EQ(*result.figure->floor, 90);
}

TEST(JudgeBandwidth, BelowItInAllRunsFailsAndNamesTheRank) {
  const Result result =
      judge(with_floor(90),
            {measured_run({100, 70, 100, 99}, 0), measured_run({99, 71, 101, 99}, 1)}, gpus(4));
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(culprits(result), std::vector<int>{1});
  EXPECT_EQ(result.culprits[0].gpu->uuid, "GPU-1");
  EXPECT_NE(result.reason.find("in all 2 runs: rank 1 below it"), std::string::npos)
      << result.reason;
}

TEST(JudgeBandwidth, WhereAllAreBelowTheSlowestIsNamed) {
  const Result result = judge(with_floor(1000), {measured_run({100, 101, 99, 102})}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(culprits(result), std::vector<int>{2});
  EXPECT_NE(result.reason.find("all ranks are below it; the slowest is rank 2"), std::string::npos);
  EXPECT_NE(result.advice.find("All ranks are alike"), std::string::npos);
}

TEST(JudgeBandwidth, OnBothSidesIsTooNoisy) {
  const Result result =
      judge(with_floor(90), {measured_run({80, 100, 100, 100}), measured_run({95, 100, 100, 100})},
            kSimFacts);
  EXPECT_EQ(result.answer, Answer::inconclusive);
  EXPECT_EQ(result.reason.find("too noisy"), 0U) << result.reason;
}

TEST(JudgeBandwidth, ACollectivesFigureIsTheMedianOverItsRanks) {
  Check check = with_floor(90);
  check.is_a_ranks_own = false;
  EXPECT_EQ(judge(check, {measured_run({80, 100, 100, 100})}, kSimFacts).answer, Answer::pass);
}

TEST(JudgeBandwidth, AShareOfTheBaseline) {
  Check check = collective_check();
  check.floors.share = 0.9;
  Facts facts = kSimFacts;
  EXPECT_EQ(judge(check, {measured_run({99, 99, 99, 99})}, facts).answer, Answer::inconclusive);
  facts.baseline = Baseline{.date = "2026-11-01",
                            .host = "node-b",
                            .backend = "sim",
                            .gpu = "",
                            .nccl = "",
                            .commit = "",
                            .figures = {}};
  EXPECT_NE(judge(check, {measured_run({99, 99, 99, 99})}, facts).reason.find("no figure for pair"),
            std::string::npos);
  facts.baseline->figures[check.id].median = 100e9;
  EXPECT_EQ(judge(check, {measured_run({91, 99, 99, 99})}, facts).answer, Answer::pass);
  EXPECT_EQ(judge(check, {measured_run({89, 99, 99, 99})}, facts).answer, Answer::fail);
  // The baseline of another kind of machine says nothing.
  facts.baseline->gpu = "8 x H100";
  EXPECT_EQ(judge(check, {measured_run({99, 99, 99, 99})}, facts).answer, Answer::inconclusive);
}

Check with_margin(int ranks = 8) {
  Check check = collective_check(ranks);
  check.floors.margin = 0.1;
  return check;
}

TEST(JudgePeers, TheSameOutlierInAllRunsFails) {
  const auto run = [](int repetition) {
    return measured_run({100, 101, 99, 60, 100, 102, 98, 100}, repetition);
  };
  const Result result = judge(with_margin(), {run(0), run(1), run(2)}, gpus(8));
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(culprits(result), std::vector<int>{3});
  EXPECT_NE(result.reason.find("rank 3 is slower than the others in all 3 runs"), std::string::npos)
      << result.reason;
  EXPECT_NE(result.evidence.find("run 2: by rank, GB/s: 100 101 99 60"), std::string::npos);
}

TEST(JudgePeers, NowAndThenIsNoise) {
  const Result result = judge(with_margin(),
                              {measured_run({100, 101, 99, 60, 100, 102, 98, 100}),
                               measured_run({100, 101, 99, 100, 100, 102, 98, 100})},
                              kSimFacts);
  EXPECT_EQ(result.answer, Answer::inconclusive);
  EXPECT_TRUE(result.culprits.empty());
}

TEST(JudgePeers, TooFewToCompare) {
  const Result result = judge(with_margin(2), {measured_run({100, 10})}, gpus(8));
  EXPECT_EQ(result.answer, Answer::inconclusive);
  EXPECT_NE(result.reason.find("too few"), std::string::npos);
}

TEST(JudgeBandwidth, OfRanksThatShareAGpuSaysNothing) {
  EXPECT_EQ(judge(with_floor(90), {measured_run({100, 100, 100, 100})}, gpus(2)).answer,
            Answer::inconclusive);
}

TEST(JudgeBandwidth, AHangIsTheDetectorsVerdict) {
  report::Run run = bad_run(Outcome::deadlock);
  run.role = "watch";
  run.expected = {};
  const Result result = judge(with_floor(90), {run}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(culprits(result), std::vector<int>{2});
  EXPECT_NE(result.evidence.find("deadlock"), std::string::npos);
}

TEST(JudgeBandwidth, MissingFiguresAreInfrastructure) {
  report::Run run = measured_run({100, 100, 100, 100});
  run.figures[kBusBandwidth].pop_back();
  EXPECT_EQ(judge(with_floor(90), {run}, kSimFacts).answer, Answer::infrastructure);
}

Result scaling(const std::vector<double>& speed_ups, const Facts& facts) {
  Check check = scenario_check("scaling@2");
  check.kind = Kind::scaling;
  check.ranks = 2;
  check.least_speed_up = 1.8;
  check.usual_speed_up = 1.9;
  std::vector<report::Run> runs;
  for (const double speed_up : speed_ups) {
    runs.push_back(good_run(static_cast<int>(runs.size())));
    runs.back().figures[kSpeedUp] = {speed_up, speed_up};
  }
  return judge(check, runs, facts);
}

// A soak as the agent reports it, with one run that could not be judged.
report::Run soak_in_error(double false_alarms) {
  report::Run run = good_run();
  run.status = report::Status::error;
  run.reason = "1 of 9 runs of the soak could not be judged";
  run.figures = {
      {kSoakRuns, {9}}, {kFalseAlarms, {false_alarms}}, {kOtherFailures, {0}}, {kUnjudged, {1}}};
  return run;
}

TEST(JudgeSoak, ARunInErrorHidesNoFalseAlarm) {
  Check check = scenario_check("soak@4");
  check.kind = Kind::soak;
  EXPECT_EQ(judge(check, {soak_in_error(0)}, kSimFacts).answer, Answer::infrastructure);
  const Result result = judge(check, {soak_in_error(5)}, kSimFacts);
  EXPECT_EQ(result.answer, Answer::fail);
  EXPECT_EQ(result.runs, 9);
  EXPECT_EQ(result.passed, 3);
  EXPECT_EQ(
      result.reason,
      "9 runs: 5 false alarms, 0 others not as declared; 1 of 9 runs of the soak could not be "
      "judged");
}

TEST(JudgeScaling, AgainstThePromisedRange) {
  EXPECT_EQ(scaling({1.81, 1.85}, gpus(2)).answer, Answer::pass);
  EXPECT_EQ(scaling({1.95, 1.99}, gpus(2)).answer, Answer::pass);
  EXPECT_EQ(scaling({1.5, 1.6}, gpus(2)).answer, Answer::fail);
  EXPECT_EQ(scaling({1.79, 1.85}, gpus(2)).answer, Answer::inconclusive);
  EXPECT_EQ(scaling({1.9, 2.4}, gpus(2)).answer, Answer::inconclusive);  // more than linear
}

TEST(JudgeScaling, WithoutAGpuForEachRankNothingIsSaid) {
  EXPECT_EQ(scaling({1.85}, kSimFacts).answer, Answer::inconclusive);
  EXPECT_EQ(scaling({1.85}, gpus(1)).answer, Answer::inconclusive);
  EXPECT_FALSE(scaling({1.85}, kSimFacts).figure.has_value());
}

}  // namespace
}  // namespace gridlock::accept
