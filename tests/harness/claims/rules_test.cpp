// The rules that use only outcomes, on a table of hand-written results.
#include <gtest/gtest.h>

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
     "persistent_workers=false still hangs if a worker dies within an epoch; it replaces"},
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
     "skips the layer"},
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

}  // namespace
}  // namespace gridlock::claims
