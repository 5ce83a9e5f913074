// One operation on a stream: into the ring, with progress words before and after it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// An operation on its way to its stream: announced in the ring, and launched when the vendor's call
// has returned. Without a stream it gets no position: it is captured into a graph, or its stream
// found no room in the box.
struct Placed {
  std::uint32_t stream = record::kNone;
  std::uint64_t position = 0;  // of MPI's, which have one at once
  std::uint64_t index = 0;     // in the ring
  std::uint64_t called = 0;    // launches before the call
};

// Whether the stream's work goes into a graph now rather than to the device. Also true for the
// legacy stream during any capture, because touching it would break the capture.
bool is_captured(cudaStream_t stream);
// Whether any stream is captured.
bool any_capture();
void capture_begun();
void capture_ended();

// Fills in who calls, when, and under which label.
void describe_caller(record::OperationEntry& entry, ThreadState& thread, const void* frame);

// Puts something of MPI's into the ring that is on no stream.
std::uint64_t add_alone(record::OperationEntry& entry);

// Announces an operation of the calling thread, and marks that its stream comes to it. `entry` says
// call and stream.
Placed announce(record::OperationEntry& entry, ThreadState& thread, const void* frame);
// The vendor's call has returned: from now on the operation is on its stream for everybody. Returns
// its position there (0: none), and marks its end. `slot` as in OperationEntry.
std::uint64_t launch(const Placed& placed, std::uint64_t slot = 0);
// The vendor's call has failed with `result`: nothing came of it.
[[gnu::noinline, gnu::cold]] void drop(const Placed& placed, std::uint8_t result = 0);

// The same for what stands for MPI: the host waits in the call or for its end, and says when it is
// over. It is launched when it is called.
Placed place_in_mpi(record::OperationEntry& entry, ThreadState& thread, const void* frame);
void finish_in_mpi(const Placed& placed);

}  // namespace gridlock::recorder
