// Members and slots of communicators: which operations meet where, and who must still come.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "harness/detect/graph/slot_window.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Finds which entry is which rank of its communicator.
void add_members(WaitGraph& graph);
// Makes a slot of everything in `windows`, which stand in the order of the communicators.
void add_slots(WaitGraph& graph, std::span<const SlotWindow> windows);

// Lists the operations of every slot, and has each need its slot as its call wants.
void need_collectives(WaitGraph& graph, Hosts hosts);
// Has the slots need their members' calls and arrivals. Nothing arrives where calls never fit, as
// the graph or the ledger's mismatches say.
void need_slots(WaitGraph& graph, const Ledger* ledger,
                const std::unordered_map<std::uint64_t, Index>& communicator_of_id);

// The operation in flight with which a member is at a slot; kNoIndex: it has none there.
Index operation_at(const WaitGraph& graph, Index slot, Index entry);

}  // namespace gridlock::detect
