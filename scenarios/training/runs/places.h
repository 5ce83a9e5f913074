// Where training ranks wait. A scenario names the call and the step, and this file computes the
// slot. Slot n is the n-th collective that is called on a communicator, from 0.
#pragma once

#include <array>

#include "scenarios/training/runs/standard_run.h"
#include "scenarios/verdicts.h"

namespace gridlock {

// The trainer's calls, without a slot: for a call that meets a different one (`calls_differ`).

// The all-reduce of a bucket of gradients.
inline Place gradients(int bucket = 0) {
  constexpr std::array<std::string_view, 2> kLabels{"gradients/bucket 0", "gradients/bucket 1"};
  return {.label = kLabels.at(static_cast<std::size_t>(bucket)),
          .operation = Operation::all_reduce,
          .communicator = "world",
          .caller = "launch_bucket"};
}

// DDP's broadcast of buffers before a forward.
inline Place buffers() {
  return {.label = "buffers/broadcast",
          .operation = Operation::broadcast,
          .communicator = "world",
          .caller = "broadcast_buffers"};
}

// SyncBatchNorm's gathering of statistics in the forward pass.
inline Place statistics() {
  return {.label = "sync_batch_norm/forward",
          .operation = Operation::all_gather,
          .communicator = "world",
          .caller = "gather_records"};
}

// The reduction of a value that the host reads (ProcessGroup::reduce_on_host).
inline Place value(std::string_view label, std::string_view group = "world",
                   std::optional<int> slot = std::nullopt) {
  return {label, Operation::all_reduce, group, slot, "reduce_on_host"};
}

// The calls that a trainer makes on "world" in its steps: the same places with their slots.
struct TrainingRun {
  TrainerOptions options = one_bucket();
  int asks_per_step = 0;     // the scenario's own calls in a forward, after the buffers
  int reports_per_step = 0;  // and in a backward pass, after the last bucket

  Place buffers(int step) const { return at(begin(step) + rebuild(step), gridlock::buffers()); }
  Place asks(int step, const Place& what) const { return at(forward(step), what); }
  Place statistics(int step) const {
    return at(forward(step) + asks_per_step, gridlock::statistics());
  }
  Place gradients(int step, int bucket = 0) const {
    return at(forward(step) + asks_per_step + norm() + bucket, gridlock::gradients(bucket));
  }
  // `what` is called after a step, in the slot where the next step would begin.
  Place behind(int step, const Place& what) const { return at(begin(step + 1), what); }

  // The slot of a step's first call.
  int begin(int step) const {
    int slot = 2 + broadcast();  // at construction: shapes, parameters, buffers
    for (int before = 0; before < step; ++before) {
      const int buckets = before == 0 ? 1 : bucket_count(options.shape, options.buckets);
      slot +=
          rebuild(before) + broadcast() + asks_per_step + 2 * norm() + buckets + reports_per_step;
    }
    return slot;
  }

 private:
  static Place at(int slot, Place what) {
    what.slot = slot;
    return what;
  }
  int broadcast() const { return options.broadcast_buffers ? 1 : 0; }
  int norm() const { return options.norm == Norm::synchronized ? 1 : 0; }
  static int rebuild(int step) { return step == 1 ? 2 : 0; }
  int forward(int step) const { return begin(step) + rebuild(step) + broadcast(); }
};

}  // namespace gridlock
