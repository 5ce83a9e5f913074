// Streams: their entries in the box, the positions handed out on them, and the implicit order of
// the legacy default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/turn.h"

namespace gridlock::recorder {

// Of a function that was built for the per-thread default stream (suffix _ptsz), stream 0 is
// another.
enum class DefaultStream : std::uint8_t { legacy, per_thread };

// The calling thread's current device.
[[gnu::noinline]] std::uint32_t current_device();

// Index in the box of a stream; entered when first seen. `device` counts for the default streams.
// kNone when the table is full.
std::uint32_t stream_index(cudaStream_t stream, std::uint32_t device);
// The same on the current device, which is asked for only where it counts.
std::uint32_t stream_index(cudaStream_t stream);
void stream_created(cudaStream_t stream, unsigned int flags);
void stream_destroyed(cudaStream_t stream);
// The calling thread ends, and its default streams with it.
void retire_default_streams();

// What stands for MPI in the table of streams: the calls of one thread (`request` 0), or one
// request (1 + its number). kNone when the table is full.
std::uint32_t add_mpi_queue(std::uint64_t request);
// Nothing more will be put there.
void retire_queue(std::uint32_t stream);

bool is_legacy(std::uint32_t stream);
cudaStream_t stream_handle(std::uint32_t stream);
std::uint32_t stream_device(std::uint32_t stream);

inline bool is_legacy_handle(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

// A position is handed out, and shown as enqueued, within one turn.
std::uint64_t next_position(const Turn& turn, std::uint32_t stream);  // what would be handed out
std::uint64_t hand_out(const Turn& turn, std::uint32_t stream);
void show_enqueued(const Turn& turn, std::uint32_t stream, std::uint64_t position);

std::uint64_t enqueued(std::uint32_t stream);
// Whether nothing recorded on the stream is still to be done, as far as the device has said.
bool is_idle(std::uint32_t stream);

// Order that CUDA makes without being asked: work on the legacy stream waits for all earlier work
// on the blocking streams of its device, and later work there waits for it. Where unrecorded work
// (kernels, copies, sets, event records) inherits such a wait, it has to be recorded.
struct ImplicitOrder {
  bool needed = false;
  std::uint32_t stream = record::kNone;
  std::uint32_t legacy = record::kNone;  // not kNone: a blocking stream that waits for this one
  std::uint64_t legacy_position = 0;
};
ImplicitOrder implicit_order(cudaStream_t stream);
// To be called for every position handed out.
void note_order(std::uint32_t stream);
// Whether any implicit order can exist at all; false in programs with non-blocking streams only.
bool implicit_order_possible();

}  // namespace gridlock::recorder
