// Events, for the other parts of the simulation.
#pragma once

#include <cuda_runtime_api.h>

#include "sim/cuda/streams/stream_object.h"

namespace sim {

// Records `event` in `stream`. REQUIRES: `stream` is not captured
//   Errors   cudaErrorInvalidResourceHandle if one of them is gone, or on another device
//   Blocks   no
cudaError_t record_event(cudaEvent_t event, Stream& stream);

// Makes `stream` wait for what `event` marks. REQUIRES: `stream` is not captured
//   Blocks   no
cudaError_t wait_for_event(cudaEvent_t event, Stream& stream);

}  // namespace sim
