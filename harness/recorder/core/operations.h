// Records one operation on a stream: in the ring, and by progress words before and after it.
#pragma once

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// An operation on its way to its stream: announced in the ring, and launched when the vendor's call
// has returned. Without a stream it gets no position: either it is captured into a graph, or the
// box has no room for its stream.
struct Placed {
  std::uint32_t stream = record::kNone;
  std::uint64_t position = 0;  // for MPI, which gets one at once
  std::uint64_t index = 0;     // in the ring
  std::uint64_t called = 0;    // launches before the call
};

// Fills in who calls, when, and under which label.
void describe_caller(record::OperationEntry& entry, ThreadState& thread, const void* frame);

// Adds an MPI operation to the ring that is on no stream.
std::uint64_t add_alone(record::OperationEntry& entry);

// Announces an operation of the calling thread, and enqueues the mark that its stream has reached
// it. `entry` has the call and the stream.
Placed announce(record::OperationEntry& entry, ThreadState& thread, const void* frame);
// The same, if it is known whether its stream is captured.
Placed announce(record::OperationEntry& entry, ThreadState& thread, const void* frame,
                bool captured);
// The vendor's call has returned, so the operation is on its stream. Returns its position there (0:
// none), and enqueues the mark of its end. `slot` as in OperationEntry.
std::uint64_t launch(const Placed& placed, std::uint64_t slot = 0);
// The vendor's call has failed with `result` and done nothing.
[[gnu::noinline, gnu::cold]] void drop(const Placed& placed, std::uint8_t result = 0);

// The same for MPI: the host itself marks when the operation ends. It counts as launched at its
// call.
Placed place_in_mpi(record::OperationEntry& entry, ThreadState& thread, const void* frame);
void finish_in_mpi(const Placed& placed);

}  // namespace gridlock::recorder
