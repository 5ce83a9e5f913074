// Where ranks wait that use the trainer. Slots: wire.h.
#pragma once

#include "scenarios/expectation.h"

namespace gridlock {

// The all-reduce of a bucket of gradients.
inline Place gradients_at(int slot, std::string_view bucket = "gradients/bucket 0") {
  return {bucket, Operation::all_reduce, "world", slot, "launch_bucket"};
}

// DDP's broadcast of buffers before a forward.
inline Place buffers_at(int slot) {
  return {"buffers/broadcast", Operation::broadcast, "world", slot, "broadcast_buffers"};
}

// SyncBatchNorm's gathering of statistics in the forward pass.
inline Place statistics_at(int slot) {
  return {"sync_batch_norm/forward", Operation::all_gather, "world", slot, "gather_records"};
}

// The reading of a value that all are to agree on, or of a metric (ProcessGroup::reduce_on_host).
inline Place value_at(std::string_view label, int slot, std::string_view group = "world") {
  return {label, Operation::all_reduce, group, slot, "reduce_on_host"};
}

}  // namespace gridlock
