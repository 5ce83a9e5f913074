// Members and slots of communicators, and which operations meet at each slot.
#include <algorithm>

#include "harness/detect/graph_builder.h"
#include "harness/detect/rules.h"

namespace gridlock::detect {
namespace {

// Slots in flight of one communicator further apart than this are damage; nothing is proven on it.
constexpr std::uint64_t kMaxSpread = 1U << 22U;

}  // namespace

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
  for (Index index = 0; index < g_.communicators.size(); ++index) {
    WaitGraph::Communicator& communicator = g_.communicators[index];
    const auto [least, most] = slot_range_[index];
    const bool none = least > most || most - least > kMaxSpread;
    communicator.first_slot = static_cast<Index>(g_.slots.size());
    communicator.base = none ? 0 : least;
    communicator.slots = none ? 0 : static_cast<Index>(most - least) + 1;
    g_.slots.resize(g_.slots.size() + communicator.slots + 1, {.communicator = index});
  }
  g_.slots.emplace_back();  // so that the last stop has an end, too
  std::vector<Index> count(g_.slots.size() + 1, 0);
  for (WaitGraph::Operation& operation : g_.operations) {
    if (operation.slot == kNoIndex) continue;
    const WaitGraph::Communicator& communicator =
        g_.communicators[g_.entries[operation.entry].communicator];
    if (communicator.slots == 0) {
      operation.slot = kNoIndex;
      continue;
    }
    operation.slot =
        communicator.first_slot + (operation.slot - static_cast<Index>(communicator.base));
    ++count[operation.slot + 1];
    WaitGraph::Slot& slot = g_.slots[operation.slot];
    if (count[operation.slot + 1] == 1) {
      slot.shape = operation.shape;
      slot.numbers = operation.numbers;
      const record::Operation& source = g_.source(operation);
      if (has_root(source.call)) slot.root = source.peer;
    } else if (slot.shape != operation.shape) {
      slot.difference = Difference::fatal;
    } else if (slot.numbers != operation.numbers) {
      slot.difference = std::max(slot.difference, Difference::numbers);
    }
  }
  for (Index slot = 0; slot < g_.slots.size(); ++slot) {
    count[slot + 1] += count[slot];
    g_.slots[slot].first_operation = count[slot];
  }
  g_.slot_operations.resize(count.back());
  g_.slot_completions.resize(count.back());
  slot_end_ = std::move(count);
}

}  // namespace gridlock::detect
