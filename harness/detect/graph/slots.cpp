// Members and slots of communicators, and which operations meet at each slot.
#include <algorithm>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

void GraphBuilder::add_members() {
  Index first = 0;
  for (WaitGraph::Communicator& communicator : g_.communicators) {
    communicator.first_member = first;
    first += communicator.size;
  }
  g_.members.assign(first, kNoIndex);
  for (Index entry = 0; entry < g_.entries.size(); ++entry) {
    WaitGraph::Communicator& communicator = g_.communicators[g_.entries[entry].communicator];
    const std::int32_t rank = g_.rank_of(entry);
    if (rank < 0 || static_cast<Index>(rank) >= communicator.size) continue;
    Index& member = g_.members[communicator.first_member + static_cast<Index>(rank)];
    if (member != kNoIndex) {
      communicator.duplicate = true;
    } else {
      ++communicator.present;
      member = entry;
    }
  }
}

void GraphBuilder::add_slots() {
  Index operations = 0;
  for (Index index = 0; index < g_.communicators.size(); ++index) {
    const std::span<const SlotWindow::Calls> window = windows_[index].calls();
    WaitGraph::Communicator& communicator = g_.communicators[index];
    communicator.first_slot = static_cast<Index>(g_.slots.size());
    communicator.base = window.empty() ? 0 : windows_[index].base();
    communicator.slots = static_cast<Index>(window.size());
    for (const SlotWindow::Calls& calls : window) {
      g_.slots.push_back({.communicator = index,
                          .first_operation = operations,
                          .shape = calls.shape,
                          .difference = calls.difference});
      operations += calls.count;
    }
    g_.slots.push_back({.communicator = index, .first_operation = operations});
  }
  g_.slots.push_back({.first_operation = operations});  // so that the last stop has an end, too
  g_.slot_operations.resize(operations);
  g_.slot_completions.resize(operations);
  slot_end_.clear();
  for (const WaitGraph::Slot& slot : g_.slots) slot_end_.push_back(slot.first_operation);
}

}  // namespace gridlock::detect
