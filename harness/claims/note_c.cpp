// Note C, "DDP debugging guide": its claims, and the rules that answer them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"
#include "harness/report/figures/scaling.h"

namespace gridlock::claims {
namespace {

using detect::Cause;
using record::Call;

// A run in which rank 0 alone prints: is it healthy on all ranks?
Answer quiet_ranks(const Evidence& runs) {
  constexpr const char* kVariant = "healthy_training/rank_zero_prints";
  const auto lines = runs.by_rank(kVariant, "output_lines");
  const auto encoded = runs.by_rank(kVariant, "encoder_completions");
  if (lines.size() < 2 || encoded.size() != lines.size()) {
    return undecided("the run does not count lines and encoder calls on several ranks");
  }
  const bool rank_zero_only = lines.front() > 0 && std::all_of(lines.begin() + 1, lines.end(),
                                                               [](double n) { return n == 0; });
  const std::string figures =
      fmt::format("lines printed by rank {}; steps done {}", listed(lines), listed(encoded));
  if (!rank_zero_only) return undecided("ranks other than rank 0 printed: " + figures);
  const bool alike = std::all_of(encoded.begin(), encoded.end(),
                                 [&](double n) { return n == encoded.front() && n > 0; });
  return confirmed_if(runs.completes(kVariant) && alike,
                      fmt::format("{}, and the numbers are right on all ({})", figures,
                                  sample(runs.reports(kVariant, "output_lines"))),
                      "ranks that print nothing do not train: " + figures);
}

Answer every_rank_steps(const Evidence& runs) {
  const bool healthy = runs.completes("healthy_training/trains") &&
                       runs.all_ranks_report("healthy_training/trains", "step_time_us");
  const bool missing = runs.hangs("uneven_batches/peers_leave") &&
                       runs.blames_the_silent("uneven_batches/peers_leave");
  if (healthy && missing) {
    return confirmed("all ranks step in a healthy run; a rank that does not is the culprit");
  }
  return refuted(healthy ? "a rank that misses a step did not cause the hang"
                         : "a healthy run has ranks without steps");
}

Answer sampler(const Evidence& runs) {
  const auto twice = runs.figure("uneven_batches/padding_sampler", "samples_seen_twice");
  if (!runs.completes("healthy_training/trains") ||
      !runs.completes("uneven_batches/padding_sampler")) {
    return refuted("shares are not r, r + W, r + 2W, … or their counts differ");
  }
  if (!twice) return undecided("the run does not report samples_seen_twice");
  return confirmed(fmt::format("counts are equal because it wraps around: {} seen twice",
                               counted(*twice, "sample")));
}

Answer initialised(const Evidence& runs) {
  const bool blocks = runs.has_cause("missing_rank_at_init/never_calls_init", Cause::init) &&
                      runs.has_cause("missing_rank_at_init/one_world_size_differs", Cause::init);
  if (!blocks) return refuted("the others do not wait for a rank that is not initialised");
  return confirmed(runs.errs("missing_rank_at_init/deadline_and_abort")
                       ? "init blocks all other ranks, until the deadline if there is one"
                       : "init blocks all other ranks");
}

Answer empty_batch(const Evidence& runs) {
  if (!runs.hangs("empty_batch_return/return_before_forward")) {
    return confirmed("returning early did not hang");
  }
  const bool cures = runs.completes("empty_batch_return/zero_gradients") &&
                     runs.completes("empty_batch_return/skip_by_agreement");
  return refuted(fmt::format("this cure is a cause{}",
                             cures ? "; gradients of zero, or an agreed skip, cure the hang" : ""));
}

Answer drop_last(const Evidence& runs) {
  const auto lost = runs.figure("uneven_batches/drop_last", "samples_lost");
  if (!runs.hangs("uneven_batches/peers_leave")) return refuted("uneven batches do not hang");
  if (!runs.completes("uneven_batches/drop_last")) return refuted("it does not cure");
  if (!lost) return undecided("the run does not report samples_lost");
  return confirmed(fmt::format("at the price of {} an epoch", counted(*lost, "sample")));
}

Answer warn_on_nan(const Evidence& runs) {
  const bool warns_safely = runs.ends("nan_loss_skip/warn_only");
  const bool skip_hangs = runs.hangs("nan_loss_skip/skip_alone");
  if (!warns_safely) return refuted("a rank that only warns hangs the others");
  const char* poisoned =
      runs.corrupts("nan_loss_skip/warn_only") ? " (the NaN reaches all ranks' parameters)" : "";
  if (!skip_hangs) return confirmed("warning and skipping are both safe");
  return only_if(fmt::format("it only warns{}: skipping the step on one rank hangs", poisoned));
}

Answer speed_up(const Evidence& runs) {
  std::string figures;
  bool kept = true;
  for (const report::Promise& promise : report::kPromisedSpeedUps) {
    const auto measured = runs.figure_at("healthy_training/scaling", promise.ranks, "speed_up");
    if (!measured) return undecided("the run does not report speed_up");
    figures +=
        fmt::format("{}{:.2f}x on {}", figures.empty() ? "" : ", ", *measured, promise.ranks);
    kept = kept && *measured >= promise.least;
  }
  figures +=
      fmt::format(" ({} in all)", sample(runs.reports("healthy_training/scaling", "speed_up")));
  if (runs.context().backend != "cuda" || runs.context().shared_gpu) {
    return needs_gpu(
        fmt::format("one for each rank; ranks that share these processors: {}", figures));
  }
  return kept ? confirmed(figures) : refuted(figures);
}

Answer one_device_each(const Evidence& runs) {
  bool each = !runs.runs("healthy_training/trains").empty();
  int most = 0;
  for (const report::Run* run : runs.runs("healthy_training/trains")) {
    const auto used = run->figures.find("devices_used");
    if (used == run->figures.end()) return undecided("the run does not report devices_used");
    each = each && std::all_of(used->second.begin(), used->second.end(),
                               [&](double devices) { return devices >= run->ranks; });
    most = std::max(most, run->ranks);
  }
  if (runs.context().shared_gpu) return needs_gpu("one for each rank");
  if (!each) return refuted("ranks share a device");
  if (!runs.completes("healthy_training/trains")) return refuted("not all ranks train");
  const auto busy = runs.by_rank("healthy_training/trains", "gpu_utilisation_percent");
  const auto steps = runs.by_rank("healthy_training/trains", "encoder_completions");
  const std::string checked = fmt::format(
      "up to {}, each rank has a process and a device of its own and all do as many steps ({})",
      counted(most, "rank"), listed(steps));
  if (busy.empty()) return needs_gpu("how busy they are; by check, " + checked);
  constexpr double kBusy = 50;
  const bool all = std::all_of(busy.begin(), busy.end(), [](double used) { return used >= kBusy; });
  const std::string figures = fmt::format("busy by rank: {} %; {}", listed(busy), checked);
  return all ? confirmed(figures) : refuted(figures);
}

}  // namespace

std::vector<Claim> note_c() {
  return {
      {.id = "C1",
       .says = "output from rank 0 only is normal",
       .variants = {"healthy_training/rank_zero_prints"},
       .predicted = Kind::confirmed,
       .rule = quiet_ranks},
      {.id = "C2",
       .says = "make sure that every rank enters the training step",
       .variants = {"healthy_training/trains", "uneven_batches/peers_leave"},
       .predicted = Kind::confirmed,
       .rule = every_rank_steps},
      {.id = "C3",
       .says = "with a DistributedSampler rank r gets samples r, r+W, r+2W, … and equal counts",
       .variants = {"healthy_training/trains", "uneven_batches/padding_sampler"},
       .predicted = Kind::confirmed,
       .rule = sampler},
      {.id = "C4",
       .says = "print rank and world size, check that DDP is initialised",
       .variants = {"missing_rank_at_init/never_calls_init",
                    "missing_rank_at_init/one_world_size_differs",
                    "missing_rank_at_init/deadline_and_abort"},
       .predicted = Kind::confirmed,
       .rule = initialised},
      {.id = "C5",
       .says = "on an empty batch warn and return None",
       .variants = {"empty_batch_return/return_before_forward", "empty_batch_return/zero_gradients",
                    "empty_batch_return/skip_by_agreement"},
       .predicted = Kind::refuted,
       .rule = empty_batch},
      {.id = "C6",
       .says = "drop_last when the data does not divide evenly",
       .variants = {"uneven_batches/peers_leave", "uneven_batches/drop_last"},
       .predicted = Kind::confirmed,
       .rule = drop_last},
      {.id = "C7",
       .says = "check the loss for NaN and Inf, and warn",
       .variants = {"nan_loss_skip/warn_only", "nan_loss_skip/skip_alone"},
       .predicted = Kind::only_if,
       .rule = warn_on_nan},
      {.id = "C8",
       .says = "speed-up 1.8-1.9x on 2 GPUs, 3.5-3.8x on 4, 7.0-7.5x on 8",
       .variants = {"healthy_training/scaling"},
       .predicted = Kind::needs_gpu,
       .rule = speed_up,
       .ranks = {2, 4, 8}},
      {.id = "C9",
       .says = "one process per GPU, all GPUs busy",
       .variants = {"healthy_training/trains"},
       .predicted = Kind::confirmed,
       .rule = one_device_each},
  };
}

}  // namespace gridlock::claims
