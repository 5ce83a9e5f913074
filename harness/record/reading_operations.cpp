// Reads a box's operations: those in flight, along the streams' chains, and new ones.
#include <algorithm>

#include "harness/record/reading.h"

namespace gridlock::record {

namespace {

bool is_operation(Call call) {
  return (call > Call::none && call <= Call::legacy_work) ||
         (is_mpi(call) && is_communication(call));
}

bool is_announced(const OperationEntry& entry) {
  return entry.launched == 0 && entry.result == 0 && is_communication(entry.call);
}

}  // namespace

Reading::Found Reading::load_operation(std::uint64_t index, OperationEntry* entry) const {
  const OperationEntry& in_box = box_.operations[index % kOperations];
  const std::uint64_t before = load_acquire(in_box.sequence);
  // Read first: if it is set, the words that it covers are final.
  const std::uint64_t launched = load_acquire(in_box.launched);
  *entry = load_words(in_box);
  entry->launched = launched;
  if (launched == 0) entry->position = 0;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const std::uint64_t after = load_relaxed(in_box.sequence);
  const std::uint64_t complete = 2 * index + 2;
  if (before == complete && after == complete) return Found::complete;
  return after <= complete ? Found::being_written : Found::overwritten;
}

bool Reading::is_awaited(const OperationEntry& entry) const {
  if (!is_announced(entry) || entry.thread >= out_.threads.size()) return false;
  // What was announced later belongs to a later call: the thread was read before the operation.
  const Thread& thread = out_.threads[entry.thread];
  return thread.waits == Waits::operation && entry.time_ns <= thread.since_ns;
}

void Reading::number(const OperationEntry& entry, Operation& operation) {
  if (operation.communicator >= out_.communicators.size()) return;
  Communicator& communicator = out_.communicators[operation.communicator];
  const bool is_message = record::is_message(entry.call);
  std::uint64_t launched = communicator.next_slot;
  if (is_message) {
    if (!communicator.counts_messages) {
      communicator.uncertain = operation.open = true;
      return;
    }
    const auto is_its = [&](const MessageCount& count) {
      return count.peer == entry.peer && count.sends == record::sends(entry.call);
    };
    const auto found = std::ranges::find_if(communicator.messages, is_its);
    launched = found == communicator.messages.end() ? 0 : found->count;
  }
  Awaited& awaited = awaited_[{operation.communicator, is_message ? entry.peer : -1,
                               is_message && record::sends(entry.call)}];
  if (awaited.operations++ == 0) awaited.thread = entry.thread;
  // NCCL forbids this, and their order is not known.
  if (awaited.thread != entry.thread) communicator.uncertain = true;
  operation.slot = launched + awaited.operations - 1;
  // The launch may be under way: what is read of it may not fit together.
  operation.open = operation.slot != entry.slot;
}

bool Reading::add(std::uint64_t index, const OperationEntry& entry) {
  if (!is_operation(entry.call)) {
    damaged("operation " + std::to_string(index) + " of the box is not a call");
    return true;
  }
  const auto beyond = [](std::uint32_t i, std::size_t size) { return i != kNone && i >= size; };
  if (beyond(entry.stream, out_.streams.size()) ||
      beyond(entry.event_stream, out_.streams.size()) ||
      beyond(entry.communicator, out_.communicators.size())) {
    return false;
  }
  Operation& operation = out_.operations.emplace_back();
  operation.index = index;
  operation.time_ns = entry.time_ns;
  operation.call = entry.call;
  operation.datatype = entry.datatype;
  operation.reduction = entry.reduction;
  operation.result = entry.result;
  operation.peer = entry.peer;
  operation.tag = entry.tag;
  operation.communicator = entry.communicator;
  if (entry.communicator != kNone && index < first_operation_[entry.communicator]) {
    operation.communicator = kNone;
  }
  operation.stream = entry.stream;
  operation.thread = beyond(entry.thread, out_.threads.size()) ? kNone : entry.thread;
  operation.slot = entry.slot;
  if (!is_awaited(entry)) {
    operation.open = is_announced(entry);
  } else if (entry.graph == kIntoGraph) {
    // It has no slot, and meets nobody's call.
    operation.communicator = kNone;
    operation.open = true;
  } else {
    number(entry, operation);
  }
  operation.count = entry.count;
  operation.position = entry.position;
  operation.called = entry.called;
  operation.deferred = entry.launched == kDeferred;
  operation.launched = operation.deferred ? 0 : entry.launched;
  operation.leader = entry.leader == 0 || entry.leader > index ? 0 : index + 1 - entry.leader;
  if (entry.graph == kOfGraph) operation.graph = Graph::launched;
  if (entry.graph == kOfCallingGraph) operation.graph = Graph::calls_host;
  if (entry.graph == kOfLine) operation.graph = Graph::line;
  operation.event_stream = entry.event_stream;
  operation.event_position = entry.event_position;
  std::copy(std::begin(entry.callers), std::end(entry.callers), operation.callers.begin());
  operation.label = entry.label;
  operation.label.bytes.back() = '\0';
  changed(entry.time_ns);
  return true;
}

void Reading::collect_in_flight(std::uint32_t stream, std::set<std::uint64_t>* indexes) {
  // An operation of a group is on the chain from its call on, but goes onto the stream only when
  // the group ends. So operations of other threads that precede it on the stream may lie between it
  // and the head of the chain.
  constexpr std::uint32_t kMostBetween = 64;
  const std::uint64_t completed = out_.streams[stream].completed;
  const std::uint32_t most_past = out_.streams[stream].enqueued > completed ? kMostBetween : 0;
  std::uint32_t past = 0;
  std::uint64_t link = last_operation_[stream];
  for (std::uint32_t steps = 0; link != 0; ++steps) {
    const std::uint64_t index = link - 1;
    OperationEntry entry;
    if (steps == kOperations || load_operation(index, &entry) != Found::complete) {
      const bool is_missed = past == 0 && out_.streams[stream].enqueued > completed;
      out_.overrun = out_.overrun || is_missed;
      return;
    }
    if (entry.stream != stream || entry.previous > index) {
      damaged("the operations of stream " + std::to_string(stream) + " of the box are tangled");
      return;
    }
    const bool announced =
        entry.result == 0 && (entry.launched == 0 || entry.launched == kDeferred);
    if (announced || entry.position > completed) {
      indexes->insert(index);
    } else if (++past > most_past) {
      return;
    }
    link = entry.previous == 0 ? 0 : index + 1 - entry.previous;
  }
}

void Reading::collect_groups(std::uint64_t head, std::set<std::uint64_t>* indexes) {
  const std::uint64_t oldest = head > kOperations ? head - kOperations : 0;
  for (std::uint32_t i = 0; i < first_of_group_.size(); ++i) {
    if (first_of_group_[i] == 0) continue;
    const std::uint64_t first = first_of_group_[i] - 1;
    // Nothing tells the slots of those that are left, or what else the thread waits for.
    if (first < oldest) out_.overrun = true;
    for (std::uint64_t index = std::max(first, oldest); index < head; ++index) {
      OperationEntry entry;
      const bool is_whole = load_operation(index, &entry) == Found::complete;
      if (is_whole && entry.thread == i && is_awaited(entry)) indexes->insert(index);
    }
  }
}

void Reading::collect(std::uint64_t head) {
  std::set<std::uint64_t> indexes;
  for (std::uint32_t i = 0; i < out_.streams.size(); ++i) collect_in_flight(i, &indexes);
  collect_groups(head, &indexes);
  const std::uint64_t oldest = head > kOperations ? head - kOperations : 0;
  for (std::uint64_t index = std::max(since_, oldest); index < head; ++index) {
    indexes.insert(index);
  }
  // Leaves no gaps from `since_` on, so that the caller can continue where this ends. Operations
  // after one that is still being written are left for the next look.
  for (const std::uint64_t index : indexes) {
    OperationEntry entry;
    const Found found = load_operation(index, &entry);
    if (found == Found::overwritten) continue;
    if (found == Found::being_written || !add(index, entry)) {
      resolved_ = false;
      break;
    }
  }
  out_.recorded = head;
  OperationEntry newest;
  if (head > 0 && load_operation(head - 1, &newest) == Found::complete) changed(newest.time_ns);
}

}  // namespace gridlock::record
