// Note B, "Encoder hang, repair guide": its claims, and the rules that answer them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"

namespace gridlock::claims {
namespace {

using record::Call;

Answer causes(const Evidence& runs) {
  std::string not_seen;
  const auto check = [&](bool hangs, std::string_view cause) {
    if (!hangs) not_seen += fmt::format("{}{}", not_seen.empty() ? "" : ", ", cause);
  };
  check(runs.hangs("uneven_batches/peers_leave"), "DDP's gradient sync");
  check(runs.hangs("uneven_sequence_lengths/local_buffers"), "different shapes");
  check(runs.hangs("stray_synchronize/crossed_with_sync"), "unfinished CUDA work");
  check(runs.hangs("sync_batchnorm_stall/eval_on_one_rank"), "SyncBatchNorm");
  if (!not_seen.empty()) return refuted("no hang from: " + not_seen);
  if (runs.hangs("nan_loss_skip/warn_only")) return confirmed("each of them hangs, NaN alone too");
  return only_if(
      fmt::format("a rank branches on the NaN: NaN alone does not hang{}",
                  runs.hangs("nan_loss_skip/skip_alone") ? ", but skipping the step does" : ""));
}

Answer clean_input(const Evidence& runs) {
  return confirmed_if(
      runs.hangs("nan_loss_skip/skip_alone") && runs.completes("nan_loss_skip/nan_to_num"),
      "with nan_to_num the same loop completes with right numbers", "nan_to_num did not cure it");
}

Answer probe(const Evidence& runs) {
  const bool finds =
      runs.host_waits_in("stray_synchronize/crossed_with_sync", Call::device_synchronize);
  const bool makes = runs.hangs("stray_synchronize/sync_as_probe");
  if (!finds) return refuted("the ranks do not stop in the sync");
  return makes ? only_if(
                     "all ranks call collectives in the same order: otherwise the sync itself "
                     "causes the hang, which contradicts note A")
               : confirmed("the ranks stop in the sync");
}

Answer swallow(const Evidence& runs) {
  if (!runs.hangs("swallowed_exception/log_and_continue")) {
    return confirmed("the run ends although one rank went on");
  }
  std::string found = "logging and going on is what hangs";
  if (runs.errs("swallowed_exception/abort_and_rethrow")) {
    found += "; abort and rethrow ends all ranks with the error";
  }
  if (runs.hangs("swallowed_exception/rethrow_only")) {
    found += ", if the others notice: a rethrow alone leaves them waiting";
  }
  return refuted(found);
}

// A waiting collective is a spinning kernel. So the records show which ranks' devices have work,
// and whether the culprit's has none. Measuring the percentage needs a GPU for each rank.
Answer utilisation(const Evidence& runs) {
  constexpr const char* kStuck = "uneven_sequence_lengths/stuck_rank";
  const auto used = runs.by_rank(kStuck, "gpu_utilisation_percent");
  const bool can_show = runs.context().backend == "cuda" && !runs.context().shared_gpu;
  if (can_show && used.empty()) return undecided("no run reports gpu_utilisation_percent");
  if (!can_show) {
    constexpr const char* kOtherCall = "sync_batchnorm_stall/eval_on_one_rank";
    if (!runs.blames_the_silent(kStuck) || !runs.blames_the_busy(kOtherCall)) {
      return needs_gpu("the records do not show whose device has work either");
    }
    return needs_gpu(
        "to measure the percentages; the records show that the claim holds only if the stuck rank "
        "is in host code: nothing is in flight on its device, while the others' wait in a "
        "collective; a rank that called something else has as much in flight as they have");
  }
  const std::vector<int> stuck = runs.culprits(kStuck);
  constexpr double kBusy = 50;
  for (std::size_t rank = 0; rank < used.size(); ++rank) {
    const bool is_stuck = std::count(stuck.begin(), stuck.end(), static_cast<int>(rank)) > 0;
    if (is_stuck == (used[rank] >= kBusy)) {
      return refuted(fmt::format("by rank {} %, with {} to blame", listed(used), ranks(stuck)));
    }
  }
  return confirmed(fmt::format("by rank {} %, with {} to blame", listed(used), ranks(stuck)));
}

// Whether the broken variants of a scenario hang, and its cures do not.
struct Cause {
  explicit Cause(const Evidence& runs, std::string_view scenario) {
    for (const std::string& name : runs.variants(scenario, "broken")) hangs &= runs.hangs(name);
    for (const std::string& name : runs.variants(scenario, "fix")) cured &= runs.ends(name);
    complete =
        !runs.variants(scenario, "broken").empty() && !runs.variants(scenario, "fix").empty();
  }
  bool complete = false;
  bool hangs = true;
  bool cured = true;
};

Answer out_of_memory(const Evidence& runs) {
  const Cause cause(runs, "rank_out_of_memory");
  if (!cause.complete) return undecided("rank_out_of_memory needs a broken variant and a fix");
  if (!cause.hangs) return refuted("no hang although one rank ran out of memory");
  return cause.cured ? only_if("one rank alone handles the failure; if all do the same, it ends")
                     : confirmed("it hangs, however the ranks handle it");
}

Answer loader_remedies(const Evidence& runs) {
  const bool dead = runs.hangs("stuck_data_loader/worker_killed");
  const bool stuck = runs.hangs("stuck_data_loader/worker_blocks");
  const bool in_process = runs.completes("stuck_data_loader/in_process_loading");
  const bool in_process_stuck = runs.ends("stuck_data_loader/in_process_blocks");
  const bool per_epoch = runs.completes("stuck_data_loader/workers_of_one_epoch");
  if (!dead || !stuck) {
    return refuted(
        fmt::format("a worker that {} does not hang the loop", dead ? "blocks" : "died"));
  }
  if (!in_process) return refuted("with num_workers=0 it does not complete");
  if (in_process_stuck && per_epoch) return confirmed("both, for dead workers and dead storage");
  std::string found = "a worker died: num_workers=0 cures that";
  if (!in_process_stuck) found += ", but still hangs if storage does not answer";
  found += per_epoch ? "; persistent_workers=false cures it too"
                     : "; persistent_workers=false still hangs if a worker dies within an epoch";
  if (runs.completes("stuck_data_loader/new_workers_each_epoch")) {
    found += "; it replaces leaking workers before they hang";
  }
  if (runs.completes("stuck_data_loader/slow_worker")) {
    found += "; slow data needs neither: the others only wait";
  }
  return only_if(found);
}

Answer sync_batchnorm(const Evidence& runs) {
  if (!runs.hangs("sync_batchnorm_stall/sync_batchnorm_on")) {
    return confirmed("the job ends with it");
  }
  const auto drift = runs.figure("sync_batchnorm_stall/local_batchnorm", "statistics_drift");
  std::string found =
      runs.waits_in("sync_batchnorm_stall/sync_batchnorm_on", "sync_batch_norm/")
          ? "it is no cure: it adds collectives to the forward pass, and the job hangs there"
          : "it is no cure: the job still hangs";
  if (drift && *drift > 0) {
    found += fmt::format("; without it, the running statistics drift apart (by {:.3g})", *drift);
  }
  return refuted(found);
}

Answer alarm(const Evidence& runs) {
  const bool flag = runs.ends("timeout_remedies/alarm_sets_flag");
  const bool throws = runs.ends("timeout_remedies/alarm_throws");
  const bool exits = runs.ends("timeout_remedies/alarm_exits");
  const bool watchdog = runs.ends("timeout_remedies/watchdog_aborts");
  if (flag && throws && exits) return confirmed("whatever the handler does");
  if (!exits) return refuted("whatever the handler does");
  const char* deaf = !flag && !throws ? "sets a flag or throws" : !flag ? "sets a flag" : "throws";
  return only_if(fmt::format(
      "the handler ends the process: one that {} does not interrupt the blocked call{}{}", deaf,
      throws ? ", one that throws crashes the process" : "",
      watchdog ? "; a watchdog thread with ncclCommAbort ends all ranks" : ""));
}

}  // namespace

std::vector<Claim> note_b() {
  return {
      {.id = "B1",
       .says =
           "causes are DDP sync, NaN/Inf or invalid shapes, unfinished CUDA work, BatchNorm sync",
       .variants = {"uneven_batches/peers_leave", "uneven_sequence_lengths/local_buffers",
                    "stray_synchronize/crossed_with_sync", "sync_batchnorm_stall/eval_on_one_rank",
                    "nan_loss_skip/warn_only", "nan_loss_skip/skip_alone"},
       .predicted = Kind::only_if,
       .rule = causes},
      {.id = "B2",
       .says = "check shape, dtype, NaN and Inf, and nan_to_num the input",
       .variants = {"nan_loss_skip/skip_alone", "nan_loss_skip/nan_to_num"},
       .predicted = Kind::confirmed,
       .rule = clean_input},
      {.id = "B3",
       .says = "add a sync before and after the encoder to find the place",
       .variants = {"stray_synchronize/sync_every_step", "stray_synchronize/crossed_with_sync",
                    "stray_synchronize/sync_as_probe"},
       .predicted = Kind::only_if,
       .rule = probe},
      {.id = "B4",
       .says = "catch exceptions around the encoder, log, and go on",
       .variants = {"swallowed_exception/log_and_continue", "swallowed_exception/rethrow_only",
                    "swallowed_exception/abort_and_rethrow"},
       .predicted = Kind::refuted,
       .rule = swallow},
      {.id = "B5",
       .says = "a GPU at 0 % utilisation is the stuck rank",
       .variants = {"uneven_sequence_lengths/stuck_rank", "sync_batchnorm_stall/eval_on_one_rank"},
       .predicted = Kind::confirmed,
       .rule = utilisation},
      {.id = "B6",
       .says = "odd memory use on a GPU: running out of memory causes the hang",
       .variants = {"rank_out_of_memory/*"},
       .predicted = Kind::only_if,
       .rule = out_of_memory},
      {.id = "B7",
       .says = "loader workers: persistent_workers=false, num_workers=0",
       .variants = {"stuck_data_loader/worker_killed", "stuck_data_loader/worker_blocks",
                    "stuck_data_loader/slow_worker", "stuck_data_loader/in_process_loading",
                    "stuck_data_loader/in_process_blocks", "stuck_data_loader/workers_of_one_epoch",
                    "stuck_data_loader/new_workers_each_epoch"},
       .predicted = Kind::only_if,
       .rule = loader_remedies},
      {.id = "B8",
       .says = "sync_batchnorm: true is important (as a cure)",
       .variants = {"sync_batchnorm_stall/sync_batchnorm_on",
                    "sync_batchnorm_stall/local_batchnorm"},
       .predicted = Kind::refuted,
       .rule = sync_batchnorm},
      {.id = "B9",
       .says = "SIGALRM after 60 s turns the hang into an error",
       .variants = {"timeout_remedies/alarm_sets_flag", "timeout_remedies/alarm_throws",
                    "timeout_remedies/alarm_exits", "timeout_remedies/watchdog_aborts"},
       .predicted = Kind::only_if,
       .rule = alarm},
  };
}

}  // namespace gridlock::claims
