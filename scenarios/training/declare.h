// Declared verdicts that many scenarios about training share.
#pragma once

#include <utility>
#include <vector>

#include "scenarios/scenario.h"

namespace gridlock {

inline Expectation all_well(int) { return completes(); }

// Calls that do not fit hang for ever in the simulation; NCCL leaves the end open.
inline Expectation mismatched(std::vector<int> culprits) {
  return deadlock(Cause::mismatch)
      .or_on(Backend::cuda, Outcome::fails)
      .or_on(Backend::cuda, Outcome::crashes)
      .or_on(Backend::cuda, Outcome::corrupts)
      .culprits(std::move(culprits));
}

// `ranks` wait in an all-reduce of gradients.
inline Expectation& wait_for_gradients(Expectation& whole, int slot, std::vector<int> ranks,
                                       std::string_view bucket = "gradients/bucket 0") {
  return whole.waiting_in(bucket)
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(slot)
      .called_from("launch_bucket")
      .by(std::move(ranks));
}

// `ranks` wait in DDP's broadcast of buffers before a forward.
inline Expectation& wait_for_buffers(Expectation& whole, int slot, std::vector<int> ranks) {
  return whole.waiting_in("buffers/broadcast")
      .operation(Operation::broadcast)
      .on("world")
      .at_slot(slot)
      .called_from("broadcast_buffers")
      .by(std::move(ranks));
}

// `ranks` wait in the reading of a value that all were to agree on, or of a metric.
inline Expectation& wait_for_value(Expectation& whole, std::string_view label, int slot,
                                   std::vector<int> ranks, std::string_view group = "world") {
  return whole.waiting_in(label)
      .operation(Operation::all_reduce)
      .on(group)
      .at_slot(slot)
      .called_from("reduce_on_host")
      .by(std::move(ranks));
}

}  // namespace gridlock
