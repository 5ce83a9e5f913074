// The nodes of the wait-for graph: one walk over the snapshots.
#include <algorithm>

#include "harness/detect/graph_builder.h"
#include "harness/detect/rules.h"

namespace gridlock::detect {
namespace {

// Slots in flight of one communicator further apart than this are damage; nothing is proven on it.
constexpr std::uint64_t kMaxSpread = 1U << 22U;

std::uint32_t hash_of(const Shape& shape) {
  std::uint64_t hash = shape.bytes * 0x9e3779b97f4a7c15ULL;
  hash ^= (static_cast<std::uint64_t>(shape.call) << 32U) ^ static_cast<std::uint32_t>(shape.root);
  hash *= 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

void WaitGraph::build(std::span<const record::Snapshot> of, const Parameters& with,
                      const Ledger* ledger, Hosts hosts) {
  snapshots = of;
  parameters = with;
  GraphBuilder(*this, ledger, hosts).build();
  sort_edges();
  propagate();
}

void GraphBuilder::build() {
  clear();
  const auto count = static_cast<Index>(g_.snapshots.size());
  for (Index process = 0; process < count; ++process) add_process(process);
  add_process(count);
  add_members();
  add_slots();
  // Gatherings are found while the threads' waits are read, before nodes can be numbered.
  for (Index thread = 0; thread < g_.threads.size(); ++thread) {
    if (g_.threads[thread].blocked) gather(thread);
  }
  for (Index process = 0; process < count; ++process) find_parts(process);
  number_nodes();
  need_units();
  need_slots();
  need_messages();
  need_hosts();
  order_communicators();
  for (Index process = 0; process < count; ++process) {
    order_legacy(process);
    order_events(process);
    need_threads(process);
  }
  for (Index index = 0; index < g_.gatherings.size(); ++index) need_gathering(index);
  need_parts();
}

void GraphBuilder::clear() {
  g_.processes.clear();
  g_.streams.clear();
  g_.threads.clear();
  g_.entries.clear();
  g_.communicators.clear();
  g_.members.clear();
  g_.first_operation.clear();
  g_.operations.clear();
  g_.parts.clear();
  g_.grouped.clear();
  g_.messages.clear();
  g_.slots.clear();
  g_.slot_operations.clear();
  g_.gatherings.clear();
  g_.edges_.clear();
}

void GraphBuilder::add_process(Index process) {
  WaitGraph::Process begin{
      .first_stream = static_cast<Index>(g_.streams.size()),
      .first_thread = static_cast<Index>(g_.threads.size()),
      .first_entry = static_cast<Index>(g_.entries.size()),
      .first_operation = static_cast<Index>(g_.operations.size()),
      .first_message = static_cast<Index>(g_.messages.size()),
  };
  if (process == g_.snapshots.size()) {  // the stop
    g_.processes.push_back(begin);
    return;
  }
  const record::Snapshot& snapshot = g_.snapshots[process];
  begin.gone = snapshot.process != record::ProcessState::alive;
  begin.trusted = !snapshot.overrun && snapshot.damage.empty();
  g_.processes.push_back(begin);
  add_communicators(process);
  for (const record::Thread& thread : snapshot.threads) {
    g_.threads.push_back({.process = process,
                          .blocked = thread.exists && thread.waits != record::Waits::nothing &&
                                     begin.trusted && !begin.gone});
  }
  if (!begin.trusted) return;
  add_streams(process);
  add_operations(process);
}

void GraphBuilder::add_communicators(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  for (const record::Communicator& record : snapshot.communicators) {
    const auto [found, is_new] =
        communicator_of_id_.try_emplace(record.id, static_cast<Index>(g_.communicators.size()));
    if (is_new) {
      g_.communicators.push_back({.id = record.id, .size = static_cast<Index>(record.size)});
      slot_range_.emplace_back(~std::uint64_t{0}, 0);
    }
    WaitGraph::Communicator& communicator = g_.communicators[found->second];
    if (communicator.size != static_cast<Index>(record.size)) communicator.sizes_differ = true;
    communicator.size = std::max(communicator.size, static_cast<Index>(record.size));
    const bool left = record.state == record::CommunicatorState::closing ||
                      record.state == record::CommunicatorState::closed ||
                      record.state == record::CommunicatorState::aborted;
    g_.entries.push_back({.process = process,
                          .communicator = found->second,
                          .next_slot = record.next_slot,
                          .left = left,
                          .aborted = record.state == record::CommunicatorState::aborted});
  }
}

void GraphBuilder::add_streams(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const Index first = g_.processes[process].first_stream;
  for (const record::Stream& record : snapshot.streams) {
    // `started` is read after `completed`: what is before it is past.
    const std::uint64_t completed =
        record.started > 0 ? std::max(record.completed, record.started - 1) : record.completed;
    g_.streams.push_back({.process = process, .completed = completed});
  }
  // How far each stream's positions go: an operation is recorded before it is handed over.
  std::vector<WaitGraph::Stream>& streams = g_.streams;
  for (const record::Operation& operation : snapshot.operations) {
    if (operation.stream >= snapshot.streams.size()) continue;
    WaitGraph::Stream& stream = streams[first + operation.stream];
    if (operation.position > stream.completed) {
      const std::uint64_t ahead = operation.position - stream.completed;
      // Positions are dense, so there cannot be more of them than operations; a hole is not proof.
      if (ahead > snapshot.operations.size()) continue;
      stream.units = std::max(stream.units, static_cast<Index>(ahead));
    }
  }
  for (Index index = first; index < streams.size(); ++index) {
    streams[index].first_unit = static_cast<Index>(g_.first_operation.size());
    g_.first_operation.resize(g_.first_operation.size() + streams[index].units + 1, kNoIndex);
  }
}

void GraphBuilder::add_operations(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const WaitGraph::Process& begin = g_.processes[process];
  const auto entries = static_cast<Index>(g_.entries.size()) - begin.first_entry;
  for (Index source = 0; source < snapshot.operations.size(); ++source) {
    const record::Operation& record = snapshot.operations[source];
    if (record.stream >= snapshot.streams.size() || record.position == 0) continue;
    const WaitGraph::Stream& stream = g_.streams[begin.first_stream + record.stream];
    const bool communicates = record::is_communication(record.call);
    if (communicates && record.communicator >= entries) continue;
    const Index entry = communicates ? begin.first_entry + record.communicator : kNoIndex;
    const bool message = record::is_message(record.call);
    if (record.position <= stream.completed || record.position - stream.completed > stream.units) {
      if (message) add_message(record, entry, kNoIndex);
      continue;
    }
    const auto index = static_cast<Index>(g_.operations.size());
    const Index unit =
        stream.first_unit + static_cast<Index>(record.position - stream.completed) - 1;
    WaitGraph::Operation operation{.source = source,
                                   .unit = unit,
                                   .next = g_.first_operation[unit],
                                   .entry = entry,
                                   .call = record.call,
                                   .stream = begin.first_stream + record.stream};
    g_.first_operation[unit] = index;
    if (message) {
      add_message(record, entry, index);
    } else if (communicates) {
      const Index communicator = g_.entries[entry].communicator;
      auto& [least, most] = slot_range_[communicator];
      least = std::min(least, record.slot);
      most = std::max(most, record.slot);
      g_.entries[entry].next_slot = std::max(g_.entries[entry].next_slot, record.slot + 1);
      operation.slot = static_cast<Index>(record.slot);  // add_slots makes it an index
      const Shape shape = shape_of(record);
      operation.shape = hash_of(shape);
      operation.numbers = static_cast<std::uint16_t>(shape.datatype << 8U | shape.reduction);
      operation.wants = static_cast<std::uint8_t>(must_arrive(
          record, snapshot.communicators[record.communicator].rank,
          snapshot.communicators[record.communicator].size, g_.parameters.buffer_bytes));
      if (g_.entries[entry].aborted) {
        operation.wants = static_cast<std::uint8_t>(MustArrive::nobody);
      }
    }
    g_.operations.push_back(operation);
  }
  std::sort(g_.messages.begin() + begin.first_message, g_.messages.end(),
            [](const Message& a, const Message& b) {
              return std::tie(a.entry, a.sends, a.peer, a.number) <
                     std::tie(b.entry, b.sends, b.peer, b.number);
            });
}

void GraphBuilder::add_message(const record::Operation& operation, Index entry, Index in_flight) {
  g_.messages.push_back({.entry = entry,
                         .peer = operation.peer,
                         .number = operation.slot,
                         .bytes = bytes_of(operation),
                         .operation = in_flight,
                         .sends = operation.call == record::Call::send});
}

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
  for (Index index = 0; index < g_.operations.size(); ++index) {
    const Index slot = g_.operations[index].slot;
    if (slot != kNoIndex) g_.slot_operations[count[slot]++] = index;
  }
}

void GraphBuilder::number_nodes() {
  g_.units = static_cast<Index>(g_.first_operation.size());
  g_.slot_count = static_cast<Index>(g_.slots.size());
  g_.slots_at_ = 2 * g_.units;
  g_.threads_at_ = g_.slots_at_ + 4 * g_.slot_count;
  g_.hosts_at_ = g_.threads_at_ + static_cast<Index>(g_.threads.size());
  g_.futures_at_ = g_.hosts_at_ + static_cast<Index>(g_.snapshots.size());
  g_.gatherings_at_ = g_.futures_at_ + static_cast<Index>(g_.entries.size());
  g_.grouped_at_ = g_.any_host() + 1;
  g_.parts_at_ = g_.grouped_at_ + 2 * static_cast<Index>(g_.grouped.size());
  g_.need.assign(g_.nodes(), 0);
}

Index WaitGraph::process_of_unit(Index unit) const {
  const auto after =
      std::upper_bound(streams.begin(), streams.end(), unit,
                       [](Index value, const Stream& stream) { return value < stream.first_unit; });
  return std::prev(after)->process;
}

Index WaitGraph::entry_of(Index communicator, std::int32_t rank) const {
  const Communicator& of = communicators[communicator];
  if (rank < 0 || static_cast<Index>(rank) >= of.size) return kNoIndex;
  return members[of.first_member + static_cast<Index>(rank)];
}

const record::Communicator& WaitGraph::record_of(Index entry) const {
  const Index process = entries[entry].process;
  return snapshots[process].communicators[entry - processes[process].first_entry];
}

std::int32_t WaitGraph::rank_of(Index entry) const { return record_of(entry).rank; }

std::uint64_t WaitGraph::number_of(Index slot) const {
  const Communicator& communicator = communicators[slots[slot].communicator];
  return communicator.base + (slot - communicator.first_slot);
}

const record::Thread& WaitGraph::record_of_thread(Index thread) const {
  const Index process = threads[thread].process;
  return snapshots[process].threads[thread - processes[process].first_thread];
}

}  // namespace gridlock::detect
