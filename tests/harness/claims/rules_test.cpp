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
     {{"stuck_data_loader/worker_killed", kStall},
      {"stuck_data_loader/in_process_loading", kCompletes},
      {"stuck_data_loader/in_process_blocks", kStall}},
     Kind::only_if,
     "worker died"},
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
  EXPECT_EQ(found.found, "buffers of 100, 200 bytes by rank; 150, 150 with the exchange");
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
