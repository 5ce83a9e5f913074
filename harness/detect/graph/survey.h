// The nodes of the wait-for graph: one walk over the snapshots.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/detect/graph/meetings/orders.h"
#include "harness/detect/graph/meetings/slot_window.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// What the walk finds in addition to the graph's arrays.
struct Survey {
  std::unordered_map<std::uint64_t, Index> communicator_of_id;
  std::vector<SlotWindow> windows;  // by communicator
  std::vector<Index> event_waits;   // operations: cudaStreamWaitEvent
  std::vector<Index> overlapping;   // streams on which calls of two threads overlapped
  std::vector<Order> orders;        // between the calls on one communicator
};

// Fills the graph's processes, threads, entries, communicators, streams, operations, parts and
// messages. REQUIRES: they are empty, and the graph has its snapshots.
Survey survey(WaitGraph& graph);

}  // namespace gridlock::detect
