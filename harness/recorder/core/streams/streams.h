// Streams: their entries in the box, the positions handed out on them, and the implicit order of
// the legacy default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/turn.h"

namespace gridlock::recorder {

// Functions built for the per-thread default stream (suffix _ptsz) mean another stream by 0.
enum class DefaultStream : std::uint8_t { legacy, per_thread };

// The calling thread's current device.
[[gnu::noinline]] std::uint32_t current_device();

// A stream's index in the box; adds the stream when it is first seen. `device` matters for the
// default streams only. kNone if the table is full.
std::uint32_t stream_index(cudaStream_t stream, std::uint32_t device);
// The same on the current device, which is queried only if it matters.
std::uint32_t stream_index(cudaStream_t stream);
void stream_created(cudaStream_t stream, unsigned int flags);
void stream_destroyed(cudaStream_t stream);
// The device is about to be reset. A stream that outlives that gets an entry again.
void retire_streams_of(std::uint32_t device);
// The calling thread is ending, and its default streams with it.
void retire_default_streams();

// Adds an entry for MPI to the table of streams: the calls of one thread (`request` 0), or one
// request (1 + its number). kNone if the table is full.
std::uint32_t add_mpi_queue(std::uint64_t request);
// Nothing more will be added to it.
void retire_queue(std::uint32_t stream);

bool is_legacy(std::uint32_t stream);
// CUDA orders the work of one side after earlier work of the other.
enum class OrderSide : std::uint8_t { legacy, blocking, none };
constexpr std::size_t kOrderSides = 2;
OrderSide order_side(std::uint32_t stream);
cudaStream_t stream_handle(std::uint32_t stream);
std::uint32_t stream_device(std::uint32_t stream);

inline bool is_legacy_handle(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

// A call is about to put work on the stream, which will get the next position.
void foresee(const Turn& turn, std::uint32_t stream);
std::uint64_t foreseen(std::uint32_t stream);  // the highest
// A position is handed out and shown as enqueued within one turn.
std::uint64_t hand_out(const Turn& turn, std::uint32_t stream);
void show_enqueued(const Turn& turn, std::uint32_t stream, std::uint64_t position);

std::uint64_t enqueued(std::uint32_t stream);
// Whether the device has completed everything recorded on the stream.
bool is_idle(std::uint32_t stream);
// Differs for each stream that has had an entry, from 1. 0: it has none.
std::uint64_t stream_serial(std::uint32_t stream);
// Whether the stream is known to be past `position`.
bool is_past(std::uint32_t stream, std::uint64_t position);

// CUDA's implicit order: work on the legacy stream waits for all earlier work on the blocking
// streams of its device, and later work there waits for it. If unrecorded work (kernels, copies,
// sets, event records) causes such a wait, the wait must be recorded.
struct ImplicitOrder {
  bool needed = false;
  std::uint32_t stream = record::kNone;
  std::uint32_t legacy = record::kNone;  // not kNone: `stream` is blocking and waits for this one
  std::uint64_t legacy_position = 0;
};
ImplicitOrder implicit_order(cudaStream_t stream);
// Whether new work in the stream would wait for the legacy stream.
bool waits_for_legacy(std::uint32_t stream);
// Must be called for every position handed out.
void note_order(std::uint32_t stream);
// Whether any implicit order can exist at all; false in programs with non-blocking streams only.
bool implicit_order_possible();

}  // namespace gridlock::recorder
