// The orders that hold streams back: a communicator's call order, the legacy stream, events.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Two operations of which the first holds the second back.
using Order = std::pair<Index, Index>;

// Appends the orders between the calls that `process` made on each communicator: NCCL runs them in
// call order, whatever streams they use. Orders that one stream or one part implies are left out.
// REQUIRES: no later process is added yet.
void find_orders(WaitGraph& graph, Index process, std::vector<Order>& orders);

// Has later calls wait for earlier ones.
void order_communicators(WaitGraph& graph, std::span<const Order> orders);
// Has the blocking streams of `process` wait for its legacy stream, and the other way round.
void order_legacy(WaitGraph& graph, Index process);
// Has each of the operations `waits`, all cudaStreamWaitEvent, wait for what its event marks.
void order_events(WaitGraph& graph, std::span<const Index> waits);

}  // namespace gridlock::detect
