// Note A, "CUDA synchronize hang, fixed": its claims, and the rules that answer them.
#include <fmt/format.h>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"

namespace gridlock::claims {
namespace {

using record::Call;

Answer waits_for_the_device(const Evidence& runs) {
  if (!runs.host_waits_in("stray_synchronize/crossed_with_sync", Call::device_synchronize)) {
    return refuted("it returned although a collective was pending");
  }
  return confirmed_if(runs.completes("stray_synchronize/sync_nothing_pending"),
                      "it waits for this device's work, and for no other rank by itself",
                      "with nothing pending it did not return either");
}

Answer waits_for_a_stuck_rank(const Evidence& runs) {
  const bool pending =
      runs.host_waits_in("stray_synchronize/sync_before_host_signal", Call::device_synchronize);
  const bool idle = !runs.completes("stray_synchronize/sync_nothing_pending");
  if (pending && idle) return confirmed("with and without a pending collective");
  if (!pending) return refuted("the sync returned with a collective pending");
  return only_if("a collective is pending that the stuck rank must join");
}

Answer removing_the_sync(const Evidence& runs) {
  const bool cures_order = runs.hangs("stray_synchronize/crossed_with_sync") &&
                           runs.completes("stray_synchronize/sync_removed");
  const bool cures_missing = runs.ends("stray_synchronize/sync_removed_missing_rank");
  if (cures_order && cures_missing) return confirmed("for a crossed order and for a missing rank");
  if (!cures_order) return refuted("the crossed order hangs without the sync too");
  const bool moved =
      runs.host_waits_in("stray_synchronize/sync_removed_missing_rank", Call::stream_synchronize);
  return only_if(fmt::format(
      "the ranks' order of collectives was crossed, and the GPU has room for two collectives at "
      "once; "
      "with a rank that never comes, the hang {}",
      moved ? "moves to the next place where the host waits (the read of the loss)" : "stays"));
}

Answer extra_sync(const Evidence& runs) {
  const bool crossed = runs.hangs("stray_synchronize/crossed_with_sync");
  const bool equal =
      runs.hangs("stray_synchronize/same_order") || runs.hangs("stray_synchronize/sync_every_step");
  if (!crossed) return refuted("no extra sync made a hang");
  return equal ? confirmed("even with the same order everywhere")
               : only_if("the order of collectives differs between ranks");
}

Answer better_used(const Evidence& runs) {
  constexpr const char* kVariant = "stray_synchronize/sync_every_step";
  const auto with = runs.figure(kVariant, "step_time_with_sync_us");
  const auto without = runs.figure(kVariant, "step_time_without_sync_us");
  const auto ratio = runs.ratio(kVariant, "step_time_with_sync_us", "step_time_without_sync_us");
  if (!with || !without || !ratio) return undecided("the run reports no step times");
  constexpr double kNoise = 1.02;
  const std::string figures = fmt::format(
      "a step takes {:.0f} us with two syncs, {:.0f} us without: {}, on the back end {}", *with,
      *without, times(*ratio), runs.context().backend);
  if (ratio->lower > kNoise) return confirmed(figures);
  return ratio->upper < kNoise ? refuted(figures) : undecided("no difference measured: " + figures);
}

Answer barrier(const Evidence& runs) {
  return confirmed_if(runs.hangs("stray_synchronize/barrier_instead") &&
                          runs.waits_in("stray_synchronize/barrier_instead", "barrier"),
                      "no cure: the others wait in the barrier instead",
                      "the barrier did not wait for the stuck rank");
}

Answer silent_rank(const Evidence& runs) {
  return confirmed_if(runs.blames_the_silent("stray_synchronize/barrier_instead") &&
                          runs.blames_the_silent("uneven_sequence_lengths/stuck_rank"),
                      "the culprit is the rank that reached no later operation",
                      "the culprit waits with the others");
}

Answer both_lines(const Evidence& runs) {
  const auto calling = runs.by_rank("healthy_training/trains", "encoder_calls");
  const auto completed = runs.by_rank("healthy_training/trains", "encoder_completions");
  if (calling.empty()) return undecided("the run does not count the encoder's calls");
  if (!runs.completes("healthy_training/trains") || calling != completed) {
    return refuted("a healthy run does not show both lines on all ranks");
  }
  const bool inside = runs.waits_in("uneven_sequence_lengths/stuck_rank", "encoder/");
  const bool behind = runs.waits_in("rank_zero_branch/metric_inside", "gradients/") &&
                      !runs.waits_in("rank_zero_branch/metric_inside", "encoder");
  if (inside && behind) {
    return only_if("the hang was in the encoder: a hang in the backward pass shows both too");
  }
  return confirmed_if(inside, "all ranks show both as often",
                      "a hang in the encoder shows both lines too");
}

}  // namespace

std::vector<Claim> note_a() {
  return {
      {.id = "A1",
       .says = "cudaDeviceSynchronize waits for all work of the current device",
       .variants = {"stray_synchronize/sync_nothing_pending",
                    "stray_synchronize/crossed_with_sync"},
       .predicted = Kind::confirmed,
       .rule = waits_for_the_device},
      {.id = "A2",
       .says = "if one rank sticks before the sync, the others wait there for ever",
       .variants = {"stray_synchronize/sync_nothing_pending",
                    "stray_synchronize/sync_before_host_signal"},
       .predicted = Kind::only_if,
       .rule = waits_for_a_stuck_rank},
      {.id = "A3",
       .says = "removing the syncs around the encoder cures the hang",
       .variants = {"stray_synchronize/crossed_with_sync", "stray_synchronize/sync_removed",
                    "stray_synchronize/sync_removed_missing_rank"},
       .predicted = Kind::only_if,
       .rule = removing_the_sync},
      {.id = "A4",
       .says = "DDP's all-reduce synchronizes the ranks already; an extra sync can deadlock",
       .variants = {"stray_synchronize/crossed_with_sync", "stray_synchronize/same_order",
                    "stray_synchronize/sync_every_step"},
       .predicted = Kind::only_if,
       .rule = extra_sync},
      {.id = "A5",
       .says = "without syncs the GPU is used better",
       .variants = {"stray_synchronize/sync_every_step"},
       .predicted = Kind::confirmed,
       .rule = better_used},
      {.id = "A6",
       .says = "use a barrier instead; but a stuck rank still blocks everybody",
       .variants = {"stray_synchronize/barrier_instead"},
       .predicted = Kind::confirmed,
       .rule = barrier},
      {.id = "A7",
       .says = "the rank with no output is the one that stuck earlier",
       .variants = {"stray_synchronize/barrier_instead", "uneven_sequence_lengths/stuck_rank"},
       .predicted = Kind::confirmed,
       .rule = silent_rank},
      {.id = "A8",
       .says = "it is cured when all ranks print \"calling encoder\" and \"encoder completed\"",
       .variants = {"healthy_training/trains", "uneven_sequence_lengths/stuck_rank",
                    "rank_zero_branch/metric_inside"},
       .predicted = Kind::confirmed,
       .rule = both_lines},
  };
}

}  // namespace gridlock::claims
