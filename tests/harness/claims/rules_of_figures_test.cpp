// The rules that use more than outcomes: figures, which rank waits where, and who is to blame.
#include <gtest/gtest.h>

#include "tests/harness/claims/sessions.h"

namespace gridlock::claims {
namespace {

using detect::Outcome;

TEST(RulesOfFigures, AnswerFromFigures) {
  Sessions sessions;
  report::Run& run =
      sessions.add("stray_synchronize/sync_every_step", Outcome::completes, "control");
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::undecided);
  run.figures["step_time_with_sync_us"] = {200, 220};
  run.figures["step_time_without_sync_us"] = {100, 120};
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::confirmed);
  EXPECT_NE(answer("A5", sessions.results()).answer.found.find("210 us with two syncs, 110 us"),
            std::string::npos);
  run.figures["step_time_without_sync_us"] = {220, 230};
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::refuted);
}

TEST(RulesOfFigures, LengthsStallWhereTheEarlyRankWaitsLonger) {
  Sessions sessions;
  sessions.add("uneven_sequence_lengths/slow_rank", Outcome::completes, "control")
      .figures["wait_10x_us"] = {5000, 5000, 5000, 300};
  report::Run& run =
      sessions.add("uneven_sequence_lengths/unconditional", Outcome::completes, "control");
  run.figures["host_wait_us"] = {900, 300, 500, 400};
  EXPECT_EQ(answer("D2", sessions.results()).answer.kind, Kind::confirmed);
  sessions.results().runs.back().figures["host_wait_us"] = {300, 310, 305, 300};
  EXPECT_EQ(answer("D2", sessions.results()).answer.kind, Kind::only_if);
}

TEST(RulesOfFigures, MemoryByRank) {
  Sessions sessions;
  sessions.add("uneven_sequence_lengths/sync_off", Outcome::completes, "fix")
      .figures["bytes_per_rank"] = {100, 200};
  sessions.add("uneven_sequence_lengths/unconditional", Outcome::completes, "control")
      .figures["bytes_per_rank"] = {150, 150};
  const Answer found = answer("D4", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_EQ(found.found,
            "buffers of 100, 200 bytes by rank; 150, 150 with the exchange (n = 1 run)");
}

// A wait of these ranks in this operation.
detect::Wait wait_of(record::Call operation, std::vector<int> ranks) {
  detect::Wait wait;
  wait.ranks = std::move(ranks);
  wait.operation = operation;
  wait.caller = "train (train.cpp:8)";
  return wait;
}

// Rank 3 called something other than the others did, and all wait.
void mismatch(Sessions& sessions, const char* name, record::Call other) {
  detect::Verdict& verdict = sessions.add(name, Outcome::deadlock).verdict;
  verdict.cause = detect::Cause::mismatch;
  verdict.culprits = {3};
  verdict.told = "Rank 3 called something else.";
  verdict.waiting = {wait_of(record::Call::all_gather, {0, 1, 2}), wait_of(other, {3})};
  verdict.faults = {
      {.ranks = {3},
       .what = detect::phrase::Said{"called broadcast (64032 bytes) where others called "
                                    "broadcast (28832 bytes)"}}};
}

// Rank 3 made no call, and the others wait.
void absence(Sessions& sessions, const char* name, detect::Cause cause) {
  detect::Verdict& verdict = sessions.add(name, Outcome::deadlock).verdict;
  verdict.cause = cause;
  verdict.culprits = {3};
  verdict.told = "Rank 3 never came.";
  verdict.waiting = {wait_of(record::Call::all_reduce, {0, 1, 2})};
}

TEST(RulesOfFigures, NoDifferenceInSpreadIsNoAnswer) {
  Sessions sessions;
  for (const double with : {90, 100, 110, 120}) {
    report::Run& run =
        sessions.add("stray_synchronize/sync_every_step", Outcome::completes, "control");
    run.figures["step_time_with_sync_us"] = {with};
    run.figures["step_time_without_sync_us"] = {100};
  }
  const Answer found = answer("A5", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::undecided);
  EXPECT_NE(found.found.find("1.05x (quartiles 0.97-1.12, n = 4 runs)"), std::string::npos)
      << found.found;
}

TEST(RulesOfFigures, OnlyRankZeroPrintsAndAllTrain) {
  Sessions sessions;
  report::Run& run =
      sessions.add("healthy_training/rank_zero_prints", Outcome::completes, "control");
  EXPECT_EQ(answer("C1", sessions.results()).answer.kind, Kind::undecided);
  run.figures["output_lines"] = {12, 0, 0, 0};
  run.figures["encoder_completions"] = {6, 6, 6, 6};
  const Answer found = answer("C1", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_NE(found.found.find("lines printed by rank 12, 0, 0, 0; steps done 6, 6, 6, 6"),
            std::string::npos)
      << found.found;
  run.figures["encoder_completions"] = {6, 6, 0, 6};
  EXPECT_EQ(answer("C1", sessions.results()).answer.kind, Kind::refuted);
  run.figures["output_lines"] = {12, 12, 0, 0};
  EXPECT_EQ(answer("C1", sessions.results()).answer.kind, Kind::undecided);
}

TEST(RulesOfFigures, UtilisationTakesAGpuForEachRank) {
  Sessions sessions;
  absence(sessions, "uneven_sequence_lengths/stuck_rank", detect::Cause::host_stuck);
  mismatch(sessions, "sync_batchnorm_stall/eval_on_one_rank", record::Call::all_reduce);
  const Answer simulated = answer("B5", sessions.results()).answer;
  EXPECT_EQ(simulated.kind, Kind::needs_gpu);
  EXPECT_NE(simulated.found.find("nothing is in flight on its device"), std::string::npos);
  EXPECT_NE(simulated.found.find("as much in flight as they"), std::string::npos);
  sessions.results().context.backend = "cuda";
  EXPECT_EQ(answer("B5", sessions.results()).answer.kind, Kind::undecided);
  auto& figures = sessions.results().runs.front().figures;
  figures["gpu_utilisation_percent"] = {100, 99, 100, 0};
  EXPECT_EQ(answer("B5", sessions.results()).answer.kind, Kind::confirmed);
  figures["gpu_utilisation_percent"] = {100, 99, 100, 100};
  EXPECT_EQ(answer("B5", sessions.results()).answer.kind, Kind::refuted);
  sessions.results().context.shared_gpu = true;
  EXPECT_EQ(answer("B5", sessions.results()).answer.kind, Kind::needs_gpu);
}

TEST(RulesOfFigures, DevicesAreCheckedAndTheirUseIsNot) {
  Sessions sessions;
  report::Run& run = sessions.add("healthy_training/trains", Outcome::completes, "control");
  run.figures["devices_used"] = {4, 4, 4, 4};
  run.figures["encoder_completions"] = {6, 6, 6, 6};
  EXPECT_EQ(answer("C9", sessions.results()).answer.kind, Kind::needs_gpu);
  run.figures["devices_used"] = {1, 1, 1, 1};
  EXPECT_EQ(answer("C9", sessions.results()).answer.kind, Kind::refuted);
  run.figures["devices_used"] = {4, 4, 4, 4};
  sessions.results().context.backend = "cuda";
  run.figures["gpu_utilisation_percent"] = {90, 95, 99, 92};
  EXPECT_EQ(answer("C9", sessions.results()).answer.kind, Kind::confirmed);
}

TEST(RulesOfFigures, TheStateOfAllRanksShowsTheOneThatDiffers) {
  Sessions sessions;
  absence(sessions, "missing_rank_at_init/never_calls_init", detect::Cause::init);
  mismatch(sessions, "uneven_sequence_lengths/local_buffers", record::Call::broadcast);
  mismatch(sessions, "sync_batchnorm_stall/eval_on_one_rank", record::Call::all_reduce);
  const Answer found = answer("D9", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_NE(found.found.find("(rank 3: 28832, 64032 bytes meet)"), std::string::npos)
      << found.found;
  // The culprit is in the same call as the others, so its flag does not show.
  sessions.results().runs.back().verdict.waiting[1].operation = record::Call::all_gather;
  EXPECT_EQ(answer("D9", sessions.results()).answer.found,
            "it does not show the rank that differs by flag");
}

TEST(RulesOfFigures, WhatIsKeptOfAHangTellsIt) {
  Sessions sessions;
  for (const char* name : {"uneven_batches/peers_leave", "stray_synchronize/crossed_with_sync",
                           "missing_rank_at_init/never_calls_init"}) {
    absence(sessions, name, detect::Cause::missing_rank);
    sessions.results().runs.back().figures["output_lines"] = {1, 1, 1, 1};
  }
  mismatch(sessions, "sync_batchnorm_stall/eval_on_one_rank", record::Call::all_reduce);
  const Answer found = answer("E10", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_NE(found.found.find("the records of 4 of 4 hangs name"), std::string::npos);
  EXPECT_NE(found.found.find("12 lines"), std::string::npos);
  sessions.results().runs.back().verdict.waiting[0].caller.clear();
  EXPECT_EQ(answer("E10", sessions.results()).answer.kind, Kind::refuted);
}

TEST(RulesOfFigures, NcclsLogIsNccls) {
  Sessions sessions;
  report::Run& run =
      sessions.add("missing_rank_at_init/deadline_and_abort", Outcome::fails, "remedy");
  run.figures["nccl_log_lines"] = {0, 0, 0, 0};
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::needs_gpu);
  sessions.results().context.backend = "cuda";
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::undecided);
  run.figures["nccl_log_lines"] = {40, 41, 40, 0};
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::confirmed);
}

TEST(RulesOfFigures, ReducerOptionsWithTheirCost) {
  Sessions sessions;
  sessions.hangs("unused_parameters/branch_on_one_rank");
  sessions.completes("unused_parameters/find_unused_parameters");
  sessions.completes("unused_parameters/all_used");
  sessions.results().runs.back().step_time_us = 100;
  sessions.completes("unused_parameters/finds_nothing");
  sessions.results().runs.back().step_time_us = 120;
  sessions.hangs("uneven_sequence_lengths/local_buffers");
  detect::Wait wait = wait_of(record::Call::broadcast, {1});
  wait.label = "buffers/broadcast";
  sessions.results().runs.back().verdict.waiting = {wait};
  sessions.completes("uneven_sequence_lengths/sync_off");
  sessions.completes("healthy_training/trains");
  sessions.results().runs.back().figures["gradient_memory_bytes"] = {3424};
  sessions.completes("healthy_training/gradient_as_bucket_view");
  sessions.results().runs.back().figures["gradient_memory_bytes"] = {1712};
  const Answer found = answer("E6", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed) << found.found;
  EXPECT_NE(found.found.find("a step takes 1.20x (n = 1 run)"), std::string::npos) << found.found;
  EXPECT_NE(found.found.find("3424 bytes a rank, 1712 with"), std::string::npos) << found.found;
  sessions.results().runs.back().figures["gradient_memory_bytes"] = {3424};
  EXPECT_EQ(answer("E6", sessions.results()).answer.kind, Kind::only_if);
}

TEST(RulesOfFigures, ASpeedUpNeedsAGpuForEachRank) {
  Sessions sessions;
  for (const auto& [ranks, speed_up] : {std::pair{2, 1.9}, {4, 3.6}, {8, 6.0}}) {
    report::Run& run = sessions.add("healthy_training/scaling", Outcome::completes, "control");
    run.ranks = ranks;
    run.figures["speed_up"] = {speed_up};
  }
  EXPECT_EQ(answer("C8", sessions.results()).answer.kind, Kind::needs_gpu);
  EXPECT_FALSE(answer("C8", sessions.results()).as_predicted.has_value());
  sessions.results().context.backend = "cuda";
  EXPECT_EQ(answer("C8", sessions.results()).answer.kind, Kind::refuted);
  sessions.results().runs.back().figures["speed_up"] = {7.2};
  EXPECT_EQ(answer("C8", sessions.results()).answer.kind, Kind::confirmed);
  sessions.results().context.shared_gpu = true;
  EXPECT_EQ(answer("C8", sessions.results()).answer.kind, Kind::needs_gpu);
}

TEST(RulesOfFigures, TheSilentRankIsTheOneToBlame) {
  Sessions sessions;
  for (const char* name :
       {"stray_synchronize/barrier_instead", "uneven_sequence_lengths/stuck_rank"}) {
    report::Run& run = sessions.add(name, Outcome::stall);
    run.verdict.culprits = {3};
    detect::Wait wait;
    wait.ranks = {0, 1, 2};
    run.verdict.waiting = {wait};
  }
  EXPECT_EQ(answer("A7", sessions.results()).answer.kind, Kind::confirmed);
  sessions.results().runs.back().verdict.waiting[0].ranks = {0, 1, 2, 3};
  EXPECT_EQ(answer("A7", sessions.results()).answer.kind, Kind::refuted);
}

}  // namespace
}  // namespace gridlock::claims
