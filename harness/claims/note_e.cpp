// Note E, "Distributed-training debugging guide": its claims, and the rules that answer them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"

namespace gridlock::claims {
namespace {

using detect::Cause;

// One hang each: a missing rank, a crossed order, a different call, and init.
constexpr std::array kKept{"uneven_batches/peers_leave", "stray_synchronize/crossed_with_sync",
                           "sync_batchnorm_stall/eval_on_one_rank",
                           "missing_rank_at_init/never_calls_init"};

// How many broken variants of a scenario end with an error, and how many hang.
struct Ends {
  Ends(const Evidence& runs, std::string_view scenario) {
    for (const std::string& name : runs.variants(scenario, "broken")) {
      ++all;
      errors += runs.errs(name) ? 1 : 0;
      hangs += runs.hangs(name) ? 1 : 0;
    }
    for (const std::string& name : runs.variants(scenario, "fix")) {
      ++fixes;
      cured += runs.completes(name) ? 1 : 0;
    }
  }
  bool is_cured() const { return fixes > 0 && cured == fixes; }
  int all = 0;
  int errors = 0;
  int hangs = 0;
  int fixes = 0;
  int cured = 0;
};

Answer set_device(const Evidence& runs) {
  const Ends ends(runs, "device_not_set");
  if (ends.all == 0) return undecided("no broken variant of device_not_set was run");
  if (ends.errors < ends.all) return refuted("ranks may share a device");
  return confirmed_if(ends.is_cured(), "NCCL refuses two ranks on one device; it does not hang",
                      "setting it first does not cure");
}

Answer timeout(const Evidence& runs) {
  const bool ends_hang = runs.ends("timeout_remedies/watchdog_exits");
  const bool kills_slow = !runs.completes("slow_checkpoint/watchdog");
  if (!ends_hang) return refuted("the run hangs on");
  return kills_slow ? only_if(
                          "no healthy step takes longer: it also kills a run whose rank 0 "
                          "takes longer to save")
                    : confirmed("it ends the hang, late, and lets a slow save finish");
}

Answer environment(const Evidence& runs) {
  const Ends wrong(runs, "wrong_environment");
  const bool init = runs.has_cause("missing_rank_at_init/one_world_size_differs", Cause::init) &&
                    runs.has_cause("missing_rank_at_init/duplicate_rank", Cause::init);
  if (wrong.all == 0) return undecided("no broken variant of wrong_environment was run");
  const std::string figures =
      fmt::format("of {}, {} end with an error and {} hang{}", counted(wrong.all, "wrong setting"),
                  wrong.errors, wrong.hangs,
                  init ? "; a valid value that differs by rank makes NCCL's init hang" : "");
  return wrong.errors + wrong.hangs == wrong.all ? confirmed(figures) : refuted(figures);
}

Answer accumulate(const Evidence& runs) {
  const bool equal = runs.completes("unequal_accumulation/equal_counts");
  const bool unequal = runs.hangs("unequal_accumulation/counts_differ");
  if (!equal) return refuted("accumulation hangs with equal counts too");
  return unequal ? only_if("all ranks change alike: with different counts it hangs")
                 : confirmed("with equal and with different counts");
}

Answer ladder(const Evidence& runs) {
  return confirmed_if(runs.completes("healthy_training/trains"),
                      "the same program with right numbers on 1, 2, 4 and 8 ranks",
                      "it does not complete on all of 1, 2, 4 and 8 ranks");
}

Answer reducer_options(const Evidence& runs) {
  constexpr const char* kCopies = "healthy_training/trains";
  constexpr const char* kViews = "healthy_training/gradient_as_bucket_view";
  const bool finds = runs.hangs("unused_parameters/branch_on_one_rank") &&
                     runs.completes("unused_parameters/find_unused_parameters");
  const bool buffers =
      runs.waits_in("uneven_sequence_lengths/local_buffers", "buffers/broadcast") &&
      runs.completes("uneven_sequence_lengths/sync_off");
  const auto copies = runs.figure(kCopies, "gradient_memory_bytes");
  const auto views = runs.figure(kViews, "gradient_memory_bytes");
  const auto cost =
      runs.step_ratio("unused_parameters/finds_nothing", "unused_parameters/all_used");
  if (!finds) return refuted("find_unused_parameters is not what cures it");
  if (!runs.completes(kViews)) return refuted("with bucket views the numbers are not right");
  if (!copies || !views || !cost) {
    return undecided("the runs do not report gradient_memory_bytes and step_time_us");
  }
  const std::string found = fmt::format(
      "find_unused_parameters cures a branch on one rank; if nothing is unused, a step takes "
      "{}{}; "
      "without broadcast_buffers, buffers may differ in size; with it, they {}; "
      "gradients and buckets take {:.0f} bytes a rank, {:.0f} with bucket views ({})",
      times(*cost), cost->lower > 1 ? "" : ", no cost measured", buffers ? "hang" : "do not hang",
      *copies, *views, sample(runs.reports(kViews, "gradient_memory_bytes")));
  return *views < *copies && buffers ? confirmed(found)
                                     : only_if("not all options do what they promise: " + found);
}

Answer nccl_log(const Evidence& runs) {
  constexpr const char* kVariant = "missing_rank_at_init/deadline_and_abort";
  const auto lines = runs.by_rank(kVariant, "nccl_log_lines");
  if (!runs.errs(kVariant)) return refuted("the failing run did not end with an error");
  if (lines.empty()) return undecided("the run does not count the lines of NCCL's log");
  const bool logged = std::any_of(lines.begin(), lines.end(), [](double n) { return n > 0; });
  const std::string figures =
      fmt::format("lines of NCCL's log kept by rank: {} ({})", listed(lines),
                  sample(runs.reports(kVariant, "nccl_log_lines")));
  if (runs.context().backend != "cuda") {
    return needs_gpu("to see what NCCL itself logs of a failure; from the simulation, " + figures);
  }
  return logged ? confirmed(figures)
                : undecided("these runs had no log; do it again with NCCL_DEBUG=INFO set");
}

Answer without_gpu(const Evidence& runs) {
  if (runs.context().backend != "sim") return undecided("these runs are not of the simulation");
  return confirmed_if(runs.completes("healthy_training/trains"),
                      "the simulation plays gloo's part: the same program, CPU only, with right "
                      "numbers",
                      "the program does not complete without a GPU");
}

Answer port(const Evidence& runs) {
  const Ends taken(runs, "port_in_use");
  if (taken.all == 0) return undecided("no broken variant of port_in_use was run");
  if (taken.errors + taken.hangs < taken.all) return refuted("a taken port does no harm");
  if (!taken.is_cured()) return refuted("a picked port does not cure it");
  const bool by_hand = runs.variants("port_in_use", "remedy").empty() ||
                       runs.completes(runs.variants("port_in_use", "remedy").front());
  return by_hand ? confirmed("both cure it")
                 : only_if("the launcher chooses: another fixed port can be taken too");
}

// Compares what the records show of a hang with what the ranks themselves print.
Answer visible(const Evidence& runs) {
  int told = 0;
  double lines = 0;
  for (const char* hang : kKept) {
    told += runs.is_told(hang) ? 1 : 0;
    for (const double printed : runs.by_rank(hang, "output_lines")) lines += printed;
  }
  const std::string found = fmt::format(
      "the records of {} of {} hangs name the culprit, the call in which the others wait, and "
      "the caller of that call; the ranks themselves printed {}",
      told, kKept.size(), counted(lines, "line"));
  return told == static_cast<int>(kKept.size()) ? confirmed(found) : refuted(found);
}

}  // namespace

std::vector<Claim> note_e() {
  return {
      {.id = "E1",
       .says = "set the device before init_process_group, or it crashes",
       .variants = {"device_not_set/*"},
       .predicted = Kind::confirmed,
       .rule = set_device},
      {.id = "E2",
       .says = "a timeout (1800 s) avoids waiting for ever",
       .variants = {"timeout_remedies/watchdog_exits", "slow_checkpoint/watchdog"},
       .predicted = Kind::only_if,
       .rule = timeout},
      {.id = "E3",
       .says = "RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT must be right",
       .variants = {"wrong_environment/*", "missing_rank_at_init/one_world_size_differs",
                    "missing_rank_at_init/duplicate_rank"},
       .predicted = Kind::confirmed,
       .rule = environment},
      {.id = "E4",
       .says = "out of memory: smaller batches, gradient accumulation",
       .variants = {"unequal_accumulation/equal_counts", "unequal_accumulation/counts_differ"},
       .predicted = Kind::only_if,
       .rule = accumulate},
      {.id = "E5",
       .says = "one GPU first, then two, then up to eight",
       .variants = {"healthy_training/trains"},
       .predicted = Kind::confirmed,
       .rule = ladder,
       .ranks = {1, 2, 4, 8}},
      {.id = "E6",
       .says = "find_unused_parameters, broadcast_buffers, gradient_as_bucket_view",
       .variants = {"unused_parameters/branch_on_one_rank",
                    "unused_parameters/find_unused_parameters", "unused_parameters/all_used",
                    "unused_parameters/finds_nothing", "uneven_sequence_lengths/local_buffers",
                    "uneven_sequence_lengths/sync_off", "healthy_training/trains",
                    "healthy_training/gradient_as_bucket_view"},
       .predicted = Kind::confirmed,
       .rule = reducer_options},
      {.id = "E7",
       .says = "\"unhandled system error\": NCCL_DEBUG=INFO, all subsystems",
       .variants = {"missing_rank_at_init/deadline_and_abort"},
       .predicted = Kind::confirmed,
       .rule = nccl_log},
      {.id = "E8",
       .says = "fall back to TCP (gloo) when NCCL fails, CPU only",
       .variants = {"healthy_training/trains"},
       .predicted = Kind::confirmed,
       .rule = without_gpu},
      {.id = "E9",
       .says = "\"address already in use\": another port, or let the launcher choose",
       .variants = {"port_in_use/*"},
       .predicted = Kind::confirmed,
       .rule = port},
      {.id = "E10",
       .says = "keep logs, watch them, make the run visible",
       .variants = {kKept.begin(), kKept.end()},
       .predicted = Kind::confirmed,
       .rule = visible},
  };
}

}  // namespace gridlock::claims
