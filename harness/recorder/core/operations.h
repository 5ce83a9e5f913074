// One operation on a stream: into the ring, with progress words before and after it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// An operation that is under way to its stream. Without a position it has no words: it was captured
// into a graph, or belongs to a group, or its stream found no room in the box.
struct Placed {
  std::uint32_t stream = record::kNone;
  std::uint64_t position = 0;
  std::uint64_t index = 0;  // in the ring
};

// Whether the stream's work goes into a graph now rather than to the device. Also true for the
// legacy stream during any capture, because touching it would break the capture.
bool is_captured(cudaStream_t stream);
void capture_begun();
void capture_ended();

// Fills in who calls, when, and under which label.
void describe_caller(record::OperationEntry& entry, ThreadState& thread, const void* frame);

// Puts an operation into the ring that is on no stream.
std::uint64_t add_alone(record::OperationEntry& entry);

// Records an operation of the calling thread and marks its start. `entry` says call and stream.
Placed place(record::OperationEntry& entry, ThreadState& thread, const void* frame);
// The operation has been put on the stream: marks its end.
void finish(const Placed& placed);

// The same for what stands for MPI: here it is the host that says when an operation is over.
Placed place_in_mpi(record::OperationEntry& entry, ThreadState& thread, const void* frame);
void finish_in_mpi(const Placed& placed);

}  // namespace gridlock::recorder
