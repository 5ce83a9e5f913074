// Members and slots of communicators: which operations meet where, and which members must still
// come.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "harness/detect/graph/meetings/slot_window.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Finds which entry is which rank of its communicator.
void add_members(WaitGraph& graph);
// Makes slots of everything in `windows`, which are in the order of the communicators.
void add_slots(WaitGraph& graph, std::span<const SlotWindow> windows);

// Lists the operations of every slot, and has each need what its call needs from its slot.
void need_collectives(WaitGraph& graph, Hosts hosts);
// Has the slots need their members' calls and arrivals. No member arrives at a slot whose calls can
// never fit, according to the graph or to the ledger's mismatches.
void need_slots(WaitGraph& graph, const Ledger* ledger,
                const std::unordered_map<std::uint64_t, Index>& communicator_of_id);

// A member's operation in flight at a slot; kNoIndex: it has none there.
Index operation_at(const WaitGraph& graph, Index slot, Index entry);

}  // namespace gridlock::detect
