// Stream-ordered allocation: memory that is freed in a stream can be had again in the same stream
// at once, and by everybody when the stream has come to the free.
#pragma once

#include <cstddef>

#include "sim/cuda/streams/stream_object.h"

namespace sim {

// Device memory for work that comes into `stream` later. Null when the device has too little, also
// with what was freed in other streams (for which `stream` then waits).
//   Blocks   no
void* pool_allocate(std::size_t bytes, Stream& stream);

//   Errors   cudaErrorInvalidValue where `base` is not the start of an allocation
//   Blocks   no
cudaError_t pool_free(void* base, Stream& stream);

// Whether `base` was freed in a stream that has not come to the free.
bool freed_in_stream(void* base);

}  // namespace sim
