// Parity of the back ends, on results made by hand.
#include "harness/report/figures/parity.h"

#include <gtest/gtest.h>

#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

Results results(std::vector<Run> runs) {
  Results all;
  all.runs = std::move(runs);
  return all;
}

// A run on a GPU that failed instead of hanging, and whether its variant accepts that.
Run failed(bool is_accepted) {
  Run run = hang();
  run.verdict.outcome = detect::Outcome::fails;
  if (is_accepted) run.expected.push_back(detect::Outcome::fails);
  run.as_declared = is_accepted;
  return run;
}

Agreement agreement(std::vector<Run> sim, std::vector<Run> cuda) {
  const auto rows = parity(results(std::move(sim)), results(std::move(cuda)));
  EXPECT_EQ(rows.size(), 1U);
  return rows.front().agreement;
}

TEST(Parity, EqualEndsAreTheSame) {
  EXPECT_EQ(agreement({hang()}, {hang()}), Agreement::same);
  EXPECT_EQ(agreement({hang(0), hang(1)}, {hang(0)}), Agreement::same);
}

TEST(Parity, AnotherOutcomeMustBeAccepted) {
  EXPECT_EQ(agreement({hang()}, {failed(true)}), Agreement::declared);
  EXPECT_EQ(agreement({hang()}, {failed(false)}), Agreement::undeclared);
}

TEST(Parity, AnOutcomeOutsideTheAcceptedSetIsUndeclaredWhateverTheRunSays) {
  auto run = failed(false);
  run.as_declared = true;
  EXPECT_EQ(agreement({hang()}, {run}), Agreement::undeclared);
}

TEST(Parity, OneRepetitionThatDiffersIsEnough) {
  EXPECT_EQ(agreement({hang(0), hang(1)}, {hang(0), failed(true)}), Agreement::declared);
  EXPECT_EQ(agreement({hang(0), hang(1)}, {hang(0), failed(false)}), Agreement::undeclared);
}

TEST(Parity, CauseAndCulpritsCountToo) {
  auto other_cause = hang();
  other_cause.verdict.cause = detect::Cause::cycle;
  other_cause.as_declared = false;
  EXPECT_EQ(agreement({hang()}, {other_cause}), Agreement::undeclared);
  auto other_culprit = hang();
  other_culprit.verdict.culprits = {0};
  other_culprit.as_declared = false;
  EXPECT_EQ(agreement({hang()}, {other_culprit}), Agreement::undeclared);
  other_culprit.as_declared = true;  // the variant does not declare its culprits
  EXPECT_EQ(agreement({hang()}, {other_culprit}), Agreement::declared);
}

TEST(Parity, WhatOneBackEndDidNotRunIsNoDifference) {
  auto gone = hang();
  gone.status = Status::skipped;
  gone.reason = "needs a GPU: graphs";
  EXPECT_EQ(agreement({gone}, {hang()}), Agreement::only_cuda);
  EXPECT_EQ(agreement({hang()}, {gone}), Agreement::only_sim);
  EXPECT_EQ(agreement({hang()}, {}), Agreement::only_sim);
  EXPECT_EQ(agreement({}, {hang()}), Agreement::only_cuda);
}

TEST(Parity, NumbersOfRanksAreComparedEach) {
  auto more = hang();
  more.ranks = 8;
  EXPECT_EQ(parity(results({hang()}), results({more})).size(), 2U);
}

TEST(Parity, TheTableNamesBothEnds) {
  auto late = failed(false);
  late.time_to_detect_ms = 12.5;
  const std::string text = parity_text(parity(results({hang(), healthy("even", "control", 200)}),
                                              results({late, healthy("even", "control", 300)})));
  EXPECT_EQ(text,
            "variant                     ranks  parity        sim                             "
            "detect ms  cuda                         detect ms\n"
            "uneven_batches/peers_leave  4      NOT DECLARED  deadlock (rank_exited), rank 3  "
            "1.25       fails (rank_exited), rank 3  12.50\n"
            "uneven_batches/even         4      same          completes                       "
            "-          completes                    -\n"
            "1 alike, 0 differ as declared, 1 differ undeclared, 0 on one back end only\n");
}

}  // namespace
}  // namespace gridlock::report
