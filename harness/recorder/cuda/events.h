// What CUDA events mark: everything on a stream up to a position.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "harness/record/snapshot.h"

namespace gridlock::recorder {

struct Mark {
  std::uint32_t stream = record::kNone;
  std::uint64_t position = 0;  // 0: nothing that can hold up a stream
};

void set_mark(cudaEvent_t event, const Mark& mark);
Mark mark_of(cudaEvent_t event);
void forget_mark(cudaEvent_t event);
void event_destroyed(cudaEvent_t event);
// A launch with these attributes may record events, in the middle of its stream's work.
void forget_events_of(std::span<const cudaLaunchAttribute> attributes);
// A graph records the event at its launches, which nobody sees: it marks nothing from now on.
void never_mark(cudaEvent_t event);

}  // namespace gridlock::recorder
