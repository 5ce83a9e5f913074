// Note E, "Distributed-training debugging guide": its claims, and the rules that answer them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"

namespace gridlock::claims {
namespace {

using detect::Cause;

// Of the broken variants of a scenario: how many end with an error, and how many hang.
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
  return ends.is_cured() ? confirmed("NCCL refuses two ranks on one device; it does not hang")
                         : refuted("setting it first does not cure");
}

Answer timeout(const Evidence& runs) {
  const bool ends_hang = runs.ends("timeout_remedies/watchdog_exits");
  const bool kills_slow = !runs.completes("slow_checkpoint/watchdog");
  if (!ends_hang) return refuted("the run hangs on");
  return kills_slow ? only_if(
                          "no healthy step is ever slower: it also kills a run whose rank 0 "
                          "saves for longer than that")
                    : confirmed("it ends the hang, late, and lets a slow save finish");
}

Answer environment(const Evidence& runs) {
  const Ends wrong(runs, "wrong_environment");
  const bool init = runs.has_cause("missing_rank_at_init/one_world_size_differs", Cause::init) &&
                    runs.has_cause("missing_rank_at_init/duplicate_rank", Cause::init);
  if (wrong.all == 0) return undecided("no broken variant of wrong_environment was run");
  const std::string figures =
      fmt::format("of {}: {} with an error, {} with a hang{}", counted(wrong.all, "wrong setting"),
                  wrong.errors, wrong.hangs,
                  init ? "; values that are valid, but not the others', hang NCCL's init" : "");
  return wrong.errors + wrong.hangs == wrong.all ? confirmed(figures) : refuted(figures);
}

Answer accumulate(const Evidence& runs) {
  const bool equal = runs.completes("unequal_accumulation/equal_counts");
  const bool unequal = runs.hangs("unequal_accumulation/counts_differ");
  if (!equal) return refuted("accumulation hangs with equal counts too");
  return unequal ? only_if("all ranks change alike: with counts that differ it hangs")
                 : confirmed("with equal and with different counts");
}

Answer ladder(const Evidence& runs) {
  return runs.completes("healthy_training/trains")
             ? confirmed("the same program with right numbers on 1, 2, 4 and 8 ranks")
             : refuted("it does not complete on all of 1, 2, 4 and 8 ranks");
}

Answer reducer_options(const Evidence& runs) {
  const bool cures = runs.hangs("unused_parameters/branch_on_one_rank") &&
                     runs.completes("unused_parameters/find_unused_parameters");
  const auto copies = runs.figure("healthy_training/trains", "gradient_memory_bytes");
  const auto views =
      runs.figure("healthy_training/gradient_as_bucket_view", "gradient_memory_bytes");
  const auto plain = runs.figure("unused_parameters/all_used", "step_time_us");
  const auto finding = runs.figure("unused_parameters/finds_nothing", "step_time_us");
  if (!cures) return refuted("find_unused_parameters is not what cures it");
  if (!runs.completes("healthy_training/gradient_as_bucket_view")) {
    return refuted("with bucket views the numbers are not right");
  }
  if (!copies || !views || !plain || !finding) {
    return undecided("the runs do not report gradient_memory_bytes and step_time_us");
  }
  const std::string figures = fmt::format(
      "gradients and buckets take {:.0f} bytes, {:.0f} with bucket views", *copies, *views);
  const std::string cost = fmt::format(
      "find_unused_parameters cures, and makes a step take {:.0f} us for {:.0f}", *finding, *plain);
  return *views < *copies ? confirmed(fmt::format("{}; {}", cost, figures))
                          : only_if(fmt::format("it is the first: {}; {}", cost, figures));
}

Answer nccl_log(const Evidence& runs) {
  const bool ends = runs.errs("missing_rank_at_init/deadline_and_abort");
  if (runs.context().backend != "cuda") {
    return needs_gpu("NCCL's own log; the simulation keeps each rank's output with a failed run");
  }
  return ends ? confirmed("each rank's output, NCCL's log in it, is kept with a failed run")
              : refuted("the failing run did not end with an error");
}

Answer without_gpu(const Evidence& runs) {
  if (runs.context().backend != "sim") return undecided("these are no runs of the simulation");
  return runs.completes("healthy_training/trains")
             ? confirmed(
                   "the simulation plays gloo's part: the same program, CPU only, with right "
                   "numbers")
             : refuted("the program does not complete without a GPU");
}

Answer port(const Evidence& runs) {
  const Ends taken(runs, "port_in_use");
  if (taken.all == 0) return undecided("no broken variant of port_in_use was run");
  if (taken.errors + taken.hangs < taken.all) return refuted("a taken port does no harm");
  if (!taken.is_cured()) return refuted("a picked port does not cure it");
  const bool by_hand = runs.variants("port_in_use", "remedy").empty() ||
                       runs.completes(runs.variants("port_in_use", "remedy").front());
  return by_hand ? confirmed("both cure it")
                 : only_if("the launcher chooses: another number can be taken too");
}

// What is kept of a hang is enough to say who, where and why.
Answer visible(const Evidence& runs) {
  const bool told = runs.every("uneven_batches/peers_leave", [](const report::Run& run) {
    const detect::Verdict& verdict = run.verdict;
    return !verdict.explanation.empty() && !verdict.culprits.empty() && !verdict.waiting.empty();
  });
  return told ? confirmed("what is kept of a hang says who is to blame, and where the others wait")
              : refuted("what is kept of a hang does not explain it");
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
                    "unused_parameters/finds_nothing", "healthy_training/trains",
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
       .variants = {"uneven_batches/peers_leave"},
       .predicted = Kind::confirmed,
       .rule = visible},
  };
}

}  // namespace gridlock::claims
