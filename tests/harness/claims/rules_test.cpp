// The rules, by tables of hand-written results: what each set of outcomes and figures amounts to.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/claims/decide.h"
#include "tests/harness/claims/sessions.h"

namespace gridlock::claims {
namespace {

using detect::Outcome;

struct Given {
  const char* variant;
  Outcome outcome;
  const char* role = "broken";
};

struct Case {
  const char* id;
  std::vector<Given> runs;
  Kind answer;
  const char* found;  // a part of it
};

Decided answer(const std::string& id, const report::Results& results) {
  std::vector<std::string> unknown;
  return decide(select({id}, unknown), results).at(0);
}

constexpr Outcome kDeadlock = Outcome::deadlock;
constexpr Outcome kStall = Outcome::stall;
constexpr Outcome kCompletes = Outcome::completes;
constexpr Outcome kFails = Outcome::fails;
constexpr Outcome kCorrupts = Outcome::corrupts;

const std::vector<Case> kCases{
    {"A3",
     {{"stray_synchronize/crossed_with_sync", kDeadlock},
      {"stray_synchronize/sync_removed", kCompletes},
      {"stray_synchronize/sync_removed_missing_rank", kDeadlock}},
     Kind::only_if,
     "crossed"},
    {"A3",
     {{"stray_synchronize/crossed_with_sync", kDeadlock},
      {"stray_synchronize/sync_removed", kCompletes},
      {"stray_synchronize/sync_removed_missing_rank", kFails}},
     Kind::confirmed,
     "missing rank"},
    {"A3",
     {{"stray_synchronize/crossed_with_sync", kDeadlock},
      {"stray_synchronize/sync_removed", kStall},
      {"stray_synchronize/sync_removed_missing_rank", kDeadlock}},
     Kind::refuted,
     "without the sync too"},
    {"A4",
     {{"stray_synchronize/crossed_with_sync", kDeadlock},
      {"stray_synchronize/same_order", kCompletes},
      {"stray_synchronize/sync_every_step", kCompletes}},
     Kind::only_if,
     "order"},
    {"A4",
     {{"stray_synchronize/crossed_with_sync", kDeadlock},
      {"stray_synchronize/same_order", kDeadlock},
      {"stray_synchronize/sync_every_step", kCompletes}},
     Kind::confirmed,
     "same order"},
    {"B2",
     {{"nan_loss_skip/skip_alone", kDeadlock}, {"nan_loss_skip/nan_to_num", kCorrupts}},
     Kind::refuted,
     "did not cure"},
    {"B4",
     {{"swallowed_exception/log_and_continue", kDeadlock},
      {"swallowed_exception/rethrow_only", kDeadlock},
      {"swallowed_exception/abort_and_rethrow", kFails}},
     Kind::refuted,
     "abort and rethrow ends"},
    {"B6",
     {{"rank_out_of_memory/skip_alone", kDeadlock},
      {"rank_out_of_memory/agreed_retry", kCompletes, "fix"}},
     Kind::only_if,
     "one rank alone"},
    {"B6",
     {{"rank_out_of_memory/skip_alone", kFails},
      {"rank_out_of_memory/agreed_retry", kCompletes, "fix"}},
     Kind::refuted,
     "no hang"},
    {"B7",
     {{"stuck_data_loader/worker_killed", kDeadlock},
      {"stuck_data_loader/worker_blocks", kStall},
      {"stuck_data_loader/slow_worker", kCompletes},
      {"stuck_data_loader/in_process_loading", kCompletes},
      {"stuck_data_loader/in_process_blocks", kStall},
      {"stuck_data_loader/workers_of_one_epoch", kDeadlock},
      {"stuck_data_loader/new_workers_each_epoch", kCompletes}},
     Kind::only_if,
     "persistent_workers=false still hangs on a worker that dies in its epoch, and replaces"},
    {"B7",
     {{"stuck_data_loader/worker_killed", kDeadlock},
      {"stuck_data_loader/worker_blocks", kStall},
      {"stuck_data_loader/slow_worker", kStall},
      {"stuck_data_loader/in_process_loading", kCompletes},
      {"stuck_data_loader/in_process_blocks", kFails},
      {"stuck_data_loader/workers_of_one_epoch", kCompletes},
      {"stuck_data_loader/new_workers_each_epoch", kCompletes}},
     Kind::confirmed,
     "both"},
    {"B7",
     {{"stuck_data_loader/worker_killed", kFails},
      {"stuck_data_loader/worker_blocks", kStall},
      {"stuck_data_loader/slow_worker", kStall},
      {"stuck_data_loader/in_process_loading", kCompletes},
      {"stuck_data_loader/in_process_blocks", kStall},
      {"stuck_data_loader/workers_of_one_epoch", kCompletes},
      {"stuck_data_loader/new_workers_each_epoch", kCompletes}},
     Kind::refuted,
     "died does not hang"},
    {"B9",
     {{"timeout_remedies/alarm_sets_flag", kDeadlock},
      {"timeout_remedies/alarm_throws", kDeadlock},
      {"timeout_remedies/alarm_exits", kFails},
      {"timeout_remedies/watchdog_aborts", kFails}},
     Kind::only_if,
     "sets a flag or throws"},
    {"C7",
     {{"nan_loss_skip/warn_only", kCorrupts}, {"nan_loss_skip/skip_alone", kDeadlock}},
     Kind::only_if,
     "all ranks' parameters"},
    {"C7",
     {{"nan_loss_skip/warn_only", kCompletes}, {"nan_loss_skip/skip_alone", kCompletes}},
     Kind::confirmed,
     "both safe"},
    {"D6",
     {{"sync_batchnorm_stall/slow_rank", kCompletes},
      {"sync_batchnorm_stall/empty_batch_on_one_rank", kDeadlock},
      {"sync_batchnorm_stall/eval_on_one_rank", kDeadlock}},
     Kind::only_if,
     "leaves the layer out"},
    {"D7",
     {{"uneven_batches/peers_leave", kDeadlock},
      {"uneven_batches/even_batches", kCompletes},
      {"uneven_batches/drop_last", kCompletes},
      {"uneven_batches/padding_sampler", kCorrupts}},
     Kind::refuted,
     "padding_sampler"},
    {"E1",
     {{"device_not_set/never_set", kFails}, {"device_not_set/set_first", kCompletes, "fix"}},
     Kind::confirmed,
     "refuses"},
    {"E1",
     {{"device_not_set/never_set", kCompletes}, {"device_not_set/set_first", kCompletes, "fix"}},
     Kind::refuted,
     "share"},
    {"E2",
     {{"timeout_remedies/watchdog_exits", kFails}, {"slow_checkpoint/watchdog", kFails}},
     Kind::only_if,
     "also kills"},
    {"E4",
     {{"unequal_accumulation/equal_counts", kCompletes},
      {"unequal_accumulation/counts_differ", kDeadlock}},
     Kind::only_if,
     "alike"},
    {"E9",
     {{"port_in_use/taken_port", kFails},
      {"port_in_use/next_number", kFails, "remedy"},
      {"port_in_use/picked_port", kCompletes, "fix"}},
     Kind::only_if,
     "launcher chooses"},
};

TEST(Rules, AnswerFromOutcomes) {
  for (const Case& each : kCases) {
    Sessions sessions;
    for (const Given& given : each.runs) sessions.add(given.variant, given.outcome, given.role);
    const Answer found = answer(each.id, sessions.results()).answer;
    EXPECT_EQ(to_string(found.kind), to_string(each.answer)) << each.id << ": " << found.found;
    EXPECT_NE(found.found.find(each.found), std::string::npos) << each.id << ": " << found.found;
  }
}

TEST(Rules, AnswerFromFigures) {
  Sessions sessions;
  report::Run& run = sessions.add("stray_synchronize/sync_every_step", kCompletes, "control");
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::undecided);
  run.figures["step_time_with_sync_us"] = {200, 220};
  run.figures["step_time_without_sync_us"] = {100, 120};
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::confirmed);
  EXPECT_NE(answer("A5", sessions.results()).answer.found.find("210 us with two syncs, 110 us"),
            std::string::npos);
  run.figures["step_time_without_sync_us"] = {220, 230};
  EXPECT_EQ(answer("A5", sessions.results()).answer.kind, Kind::refuted);
}

TEST(Rules, LengthsStallWhereTheEarlyRankWaitsLonger) {
  Sessions sessions;
  sessions.add("uneven_sequence_lengths/slow_rank", kCompletes, "control")
      .figures["wait_10x_us"] = {5000, 5000, 5000, 300};
  report::Run& run = sessions.add("uneven_sequence_lengths/unconditional", kCompletes, "control");
  run.figures["host_wait_us"] = {900, 300, 500, 400};
  EXPECT_EQ(answer("D2", sessions.results()).answer.kind, Kind::confirmed);
  sessions.results().runs.back().figures["host_wait_us"] = {300, 310, 305, 300};
  EXPECT_EQ(answer("D2", sessions.results()).answer.kind, Kind::only_if);
}

TEST(Rules, MemoryByRank) {
  Sessions sessions;
  sessions.add("uneven_sequence_lengths/sync_off", kCompletes, "fix").figures["bytes_per_rank"] = {
      100, 200};
  sessions.add("uneven_sequence_lengths/unconditional", kCompletes, "control")
      .figures["bytes_per_rank"] = {150, 150};
  const Answer found = answer("D4", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_EQ(found.found,
            "buffers of 100, 200 bytes by rank; 150, 150 with the exchange (n = 1 run)");
}

// What waits in a run: an operation, by these ranks.
detect::Wait wait_of(record::Call operation, std::vector<int> ranks) {
  detect::Wait wait;
  wait.ranks = std::move(ranks);
  wait.operation = operation;
  wait.caller = "train (train.cpp:8)";
  return wait;
}

// Rank 3 called something else than the others, and all wait.
void mismatch(Sessions& sessions, const char* name, record::Call other) {
  detect::Verdict& verdict = sessions.add(name, kDeadlock).verdict;
  verdict.cause = detect::Cause::mismatch;
  verdict.culprits = {3};
  verdict.explanation = "Rank 3 called something else.";
  verdict.waiting = {wait_of(record::Call::all_gather, {0, 1, 2}), wait_of(other, {3})};
  verdict.faults = {{.ranks = {3},
                     .what = "called broadcast (64032 bytes) where others called "
                             "broadcast (28832 bytes)"}};
}

// Rank 3 came to nothing, and the others wait.
void absence(Sessions& sessions, const char* name, detect::Cause cause) {
  detect::Verdict& verdict = sessions.add(name, kDeadlock).verdict;
  verdict.cause = cause;
  verdict.culprits = {3};
  verdict.explanation = "Rank 3 never came.";
  verdict.waiting = {wait_of(record::Call::all_reduce, {0, 1, 2})};
}

TEST(Rules, NoDifferenceInSpreadIsNoAnswer) {
  Sessions sessions;
  for (const double with : {90, 100, 110, 120}) {
    report::Run& run = sessions.add("stray_synchronize/sync_every_step", kCompletes, "control");
    run.figures["step_time_with_sync_us"] = {with};
    run.figures["step_time_without_sync_us"] = {100};
  }
  const Answer found = answer("A5", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::undecided);
  EXPECT_NE(found.found.find("1.05x (quartiles 0.97-1.12, n = 4 runs)"), std::string::npos)
      << found.found;
}

TEST(Rules, OnlyRankZeroPrintsAndAllTrain) {
  Sessions sessions;
  report::Run& run = sessions.add("healthy_training/rank_zero_prints", kCompletes, "control");
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

TEST(Rules, UtilisationTakesAGpuForEachRank) {
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

TEST(Rules, DevicesAreCheckedAndTheirUseIsNot) {
  Sessions sessions;
  report::Run& run = sessions.add("healthy_training/trains", kCompletes, "control");
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

TEST(Rules, TheStateOfAllRanksShowsTheOneThatDiffers) {
  Sessions sessions;
  absence(sessions, "missing_rank_at_init/never_calls_init", detect::Cause::init);
  mismatch(sessions, "uneven_sequence_lengths/local_buffers", record::Call::broadcast);
  mismatch(sessions, "sync_batchnorm_stall/eval_on_one_rank", record::Call::all_reduce);
  const Answer found = answer("D9", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_NE(found.found.find("(rank 3: 28832, 64032 bytes meet)"), std::string::npos)
      << found.found;
  // The one to blame is in the same call as the others: its flag does not show.
  sessions.results().runs.back().verdict.waiting[1].operation = record::Call::all_gather;
  EXPECT_EQ(answer("D9", sessions.results()).answer.found,
            "it does not show the rank that differs by flag");
}

TEST(Rules, WhatIsKeptOfAHangTellsIt) {
  Sessions sessions;
  for (const char* name : {"uneven_batches/peers_leave", "stray_synchronize/crossed_with_sync",
                           "missing_rank_at_init/never_calls_init"}) {
    absence(sessions, name, detect::Cause::missing_rank);
    sessions.results().runs.back().figures["output_lines"] = {1, 1, 1, 1};
  }
  mismatch(sessions, "sync_batchnorm_stall/eval_on_one_rank", record::Call::all_reduce);
  const Answer found = answer("E10", sessions.results()).answer;
  EXPECT_EQ(found.kind, Kind::confirmed);
  EXPECT_NE(found.found.find("of 4 hangs, what is kept says of 4"), std::string::npos);
  EXPECT_NE(found.found.find("12 lines"), std::string::npos);
  sessions.results().runs.back().verdict.waiting[0].caller.clear();
  EXPECT_EQ(answer("E10", sessions.results()).answer.kind, Kind::refuted);
}

TEST(Rules, NcclsLogIsNccls) {
  Sessions sessions;
  report::Run& run = sessions.add("missing_rank_at_init/deadline_and_abort", kFails, "remedy");
  run.figures["nccl_log_lines"] = {0, 0, 0, 0};
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::needs_gpu);
  sessions.results().context.backend = "cuda";
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::undecided);
  run.figures["nccl_log_lines"] = {40, 41, 40, 0};
  EXPECT_EQ(answer("E7", sessions.results()).answer.kind, Kind::confirmed);
}

TEST(Rules, ReducerOptionsWithTheirCost) {
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

TEST(Rules, ASpeedUpNeedsAGpuForEachRank) {
  Sessions sessions;
  for (const auto& [ranks, speed_up] : {std::pair{2, 1.9}, {4, 3.6}, {8, 6.0}}) {
    report::Run& run = sessions.add("healthy_training/scaling", kCompletes, "control");
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

TEST(Rules, TheSilentRankIsTheOneToBlame) {
  Sessions sessions;
  for (const char* name :
       {"stray_synchronize/barrier_instead", "uneven_sequence_lengths/stuck_rank"}) {
    report::Run& run = sessions.add(name, kStall);
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
