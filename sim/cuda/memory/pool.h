// Stream-ordered allocation. Memory that is freed in a stream can be allocated again in the same
// stream at once, and elsewhere when the stream has reached the free.
#pragma once

#include <cstddef>

#include "sim/cuda/streams/stream_object.h"

namespace sim {

// Device memory for work that is put on `stream` later. If the device has too little free memory,
// this takes memory that was freed in other streams, and `stream` waits for those frees. Null if
// even that is too little.
//   Blocks   no
void* pool_allocate(std::size_t bytes, Stream& stream);

//   Errors   cudaErrorInvalidValue if `base` is not the start of an allocation
//   Blocks   no
cudaError_t pool_free(void* base, Stream& stream);

// Counts for pools.cpp. `pool` is null for the device's current pool.
void pool_took(const void* base, std::size_t bytes, int device, cudaMemPool_t pool);
void pool_gave_back(const void* base);

// Whether `base` was freed in a stream that has not reached the free yet.
bool freed_in_stream(void* base);

}  // namespace sim
