// Parity of our own NCCL and the real one, on hand-written results.
#include "harness/report/figures/parity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  EXPECT_EQ(agreement({gone}, {hang()}), Agreement::only_real);
  EXPECT_EQ(agreement({hang()}, {gone}), Agreement::only_own);
  EXPECT_EQ(agreement({hang()}, {}), Agreement::only_own);
  EXPECT_EQ(agreement({}, {hang()}), Agreement::only_real);
}

TEST(Parity, NumbersOfRanksAreComparedEach) {
  auto more = hang();
  more.ranks = 8;
  EXPECT_EQ(parity(results({hang()}), results({more})).size(), 2U);
}

ParityTable table_of(bool all) {
  auto late = failed(false);
  late.time_to_detect_ms = 12.5;
  late.verdict.waiting.front().host_call = record::Call::all_reduce;
  return {.rows = parity(results({hang(), healthy("even", "control", 200)}),
                         results({late, healthy("even", "control", 300)})),
          .own = "own NCCL",
          .real = "NCCL 2.28.9",
          .all = all};
}

TEST(Parity, TheTableNamesBothEnds) {
  EXPECT_EQ(parity_text(table_of(true)),
            "variant                     ranks  parity        own NCCL                        "
            "detect ms  NCCL 2.28.9                  detect ms\n"
            "uneven_batches/peers_leave  4      NOT DECLARED  deadlock (rank_exited), rank 3  "
            "1.25       fails (rank_exited), rank 3  12.50\n"
            "uneven_batches/even         4      same          completes                       "
            "-          completes                    -\n"
            "1 alike, 0 differ as declared, 1 differ undeclared, 0 on one side only\n");
}

TEST(Parity, RowsThatAgreeAreShownIfAskedFor) {
  EXPECT_EQ(parity_text(table_of(false)).find("uneven_batches/even"), std::string::npos);
  EXPECT_EQ(parity_markdown(table_of(false)).find("uneven_batches/even"), std::string::npos);
}

TEST(Parity, MarkdownTellsAStreamThatWaitsFromAHostThatWaits) {
  const std::string text = parity_markdown(table_of(false));
  EXPECT_NE(text.find("| ranks 0-2: all_reduce, host in stream_synchronize | "
                      "ranks 0-2: all_reduce (host) |"),
            std::string::npos)
      << text;
}

TEST(Parity, JsonHasTheSumsAndBothEnds) {
  const auto json = nlohmann::json::parse(parity_json(table_of(true)));
  EXPECT_EQ(json["undeclared"], 1);
  EXPECT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["real"]["end"], "fails (rank_exited), rank 3");
  EXPECT_EQ(json["rows"][0]["parity"], "NOT DECLARED");
}

TEST(Parity, SidesAreNamedByTheirNccl) {
  Context context;
  context.backend = "cuda";
  EXPECT_EQ(side_of(context), "cuda");
  context.backend = "sim";
  context.nccl_origin = "own";
  EXPECT_EQ(side_of(context), "own NCCL");
  context.nccl_origin = "source";
  context.nccl = "2.28.9";
  EXPECT_EQ(side_of(context), "NCCL 2.28.9");
}

}  // namespace
}  // namespace gridlock::report
