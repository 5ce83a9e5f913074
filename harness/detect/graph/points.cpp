// Finds the places at which ranks wait for what can never happen.
#include "harness/detect/graph/points.h"

#include <algorithm>
#include <unordered_map>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/threads.h"
#include "harness/detect/graph/unsent.h"

namespace gridlock::detect {
namespace {

using Kind = Point::Kind;

class Finder {
 public:
  explicit Finder(const WaitGraph& graph) : g_(graph) {}

  Points find() {
    for (Index process = 0; process + 1 < g_.processes.size(); ++process) {
      if (g_.processes[process].gone) continue;
      for (Index stream = g_.processes[process].first_stream;
           stream < g_.processes[process + 1].first_stream; ++stream) {
        look_at_stream(process, stream);
      }
      for (Index thread = g_.processes[process].first_thread;
           thread < g_.processes[process + 1].first_thread; ++thread) {
        if (g_.threads[thread].blocked && !g_.can(g_.thread(thread))) look_at_thread(thread);
      }
    }
    for (Point& point : found_.points) find_missing(point);
    return std::move(found_);
  }

 private:
  // Looks at the first unit that cannot end, if the stream can reach it: earlier units will drain.
  void look_at_stream(Index process, Index stream) {
    const WaitGraph::Stream& of = g_.streams[stream];
    // A request that no thread waits for holds up no rank.
    if (of.mpi && of.awaited_ns == WaitGraph::Stream::kNobodyWaits) return;
    Index unit = of.first_unit;
    const Index end = unit + of.units;
    while (unit < end && g_.can(g_.pass(unit))) ++unit;
    if (unit == end) return;
    if (!g_.can(g_.reach(unit))) return look_in_front_of(process, unit);
    std::vector<Index> operations;
    for (Index at = g_.first_operation[unit]; at != kNoIndex; at = g_.operations[at].next) {
      operations.push_back(at);
    }
    std::reverse(operations.begin(), operations.end());  // in call order
    for (const Index index : operations) look_at_operation(process, index);
  }

  // Only unrecorded work keeps the stream from the unit.
  void look_in_front_of(Index process, Index unit) {
    const Index operation = g_.first_operation[unit];
    if (operation == kNoIndex || g_.need[g_.reach(unit)] != kNever) return;
    add(Kind::device_work, operation, process, operation, kNoIndex);
  }

  void look_at_operation(Index process, Index index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    // An operation that its own group holds back does not wait for other ranks yet.
    if (!WaitGraph::is_alone(operation) && !g_.can(g_.come(operation))) return;
    // Another operation may hold the unit.
    if (g_.can(g_.complete(operation))) return;
    if (record::is_message(operation.call)) {
      const Index message = message_of(process, index);
      if (message == kNoIndex) return;
      const WaitGraph::Message& of = g_.messages[message];
      const bool stuck =
          of.misfit ||
          (of.awaits != kNoIndex && !g_.can(g_.come(operation_of_message(of.awaits)))) ||
          (of.awaits_entry != kNoIndex && !g_.can(g_.future(of.awaits_entry))) ||
          (of.alternatives != kNoIndex && !g_.can(g_.any(of.alternatives)));
      if (stuck) add(Kind::message, message, process, index, kNoIndex);
      return;
    }
    // A host function gets here only if unrecorded code counts as stuck.
    if (operation.call == record::Call::host_function) {
      add(Kind::host_function, index, process, index, kNoIndex);
    }
    const Index slot = g_.slot_of(operation);
    if (slot == kNoIndex) return;
    if (operation.wants == MustArrive::everyone && !g_.can(g_.arrived(slot))) {
      add(Kind::everyone, slot, process, index, kNoIndex);
    } else if (operation.wants == MustArrive::root && !g_.can(g_.root(slot))) {
      add(Kind::root, slot, process, index, kNoIndex);
    }
  }

  void look_at_thread(Index thread) {
    const WaitGraph::ThreadNode& node = g_.threads[thread];
    if (node.gathering != kNoIndex && !g_.can(g_.gathering(node.gathering))) {
      add(Kind::gathering, node.gathering, node.process, kNoIndex, thread);
    }
    const bool only_work = g_.need[g_.thread(thread)] == kNever;
    if (only_work && waits_for_device(g_.record_of_thread(thread))) {
      add(Kind::device_wait, thread, node.process, kNoIndex, thread);
    }
    if (!node.connects) return;
    for (const WaitGraph::Announced& announced : g_.announced) {
      if (announced.thread == thread) look_at_connection(node.process, announced.unit, thread);
    }
  }

  void look_at_connection(Index process, Index unit, Index thread) {
    for (Index at = g_.first_operation[unit]; at != kNoIndex; at = g_.operations[at].next) {
      const WaitGraph::Operation& operation = g_.operations[at];
      if (!g_.may_connect(operation)) continue;
      const Index slot = g_.slot_of(operation);
      if (slot != kNoIndex && !g_.can(g_.called(slot))) {
        add(Kind::connect, slot, process, at, thread);
      } else if (record::is_message(operation.call)) {
        look_at_pair(process, at, thread);
      }
    }
  }

  void look_at_pair(Index process, Index operation, Index thread) {
    const Index message = message_of(process, operation);
    if (message == kNoIndex) return;
    const Index peer = g_.messages[message].connects_to;
    if (peer != kNoIndex && never_calls(peer)) {
      add(Kind::connect_pair, message, process, operation, thread);
    }
  }

  void add(Kind kind, Index at, Index process, Index operation, Index thread) {
    const std::uint64_t key = (static_cast<std::uint64_t>(kind) << 32U) | at;
    const auto [known, is_new] =
        point_of_.try_emplace(key, static_cast<Index>(found_.points.size()));
    if (is_new) found_.points.push_back({.kind = kind, .at = at});
    std::vector<Index>& waiting = found_.points[known->second].waiting;
    if (waiting.empty() || waiting.back() != process) waiting.push_back(process);
    found_.waiters.push_back(
        {.process = process, .point = known->second, .operation = operation, .thread = thread});
  }

  Index message_of(Index process, Index operation) const {
    for (Index index = g_.processes[process].first_message;
         index < g_.processes[process + 1].first_message; ++index) {
      if (g_.messages[index].operation == operation) return index;
    }
    return kNoIndex;
  }

  const WaitGraph::Operation& operation_of_message(Index message) const {
    return g_.operations[g_.messages[message].operation];
  }

  bool never_calls(Index entry) const {
    return g_.entries[entry].left || !g_.can(g_.host(g_.entries[entry].process));
  }

  void miss(Point& point, Index entry, bool enqueued) const {
    const WaitGraph::Entry& of = g_.entries[entry];
    point.missing.push_back(
        {.process = of.process, .enqueued = enqueued, .left = of.left && !enqueued});
  }

  void find_missing(Point& point) const {
    switch (point.kind) {
      case Kind::everyone:
      case Kind::root:
      case Kind::connect:
        find_missing_of_slot(point);
        break;
      case Kind::message:
        find_missing_of_message(point);
        break;
      case Kind::connect_pair:
        find_missing_of_pair(point);
        break;
      case Kind::gathering:
        find_missing_of_gathering(point);
        break;
      case Kind::device_work: {
        const Index entry = g_.operations[point.at].entry;
        if (entry != kNoIndex) point.communicator = g_.entries[entry].communicator;
        break;
      }
      case Kind::host_function:
      case Kind::device_wait:
        break;
    }
    std::ranges::sort(point.missing, {}, &Point::Missing::process);
  }

  void find_missing_of_slot(Point& point) const {
    const WaitGraph::Slot& slot = g_.slots[point.at];
    const WaitGraph::Communicator& communicator = g_.communicators[slot.communicator];
    point.communicator = slot.communicator;
    point.members = communicator.size;
    point.misfit = slot.difference == Difference::fatal && point.kind != Kind::connect;
    point.came = communicator.size;
    const Index root = g_.entry_of(slot.communicator, slot.shape.root);
    if (point.kind != Kind::connect) {
      for (Index at = slot.first_operation; at < g_.slots[point.at + 1].first_operation; ++at) {
        const WaitGraph::Operation& operation = g_.operations[g_.slot_operations[at]];
        if (g_.can(g_.come(operation))) continue;
        --point.came;
        if (point.kind == Kind::root && operation.entry != root) continue;
        miss(point, operation.entry, true);
      }
    }
    for (Index member = 0; member < communicator.size; ++member) {
      const Index entry = g_.members[communicator.first_member + member];
      if (entry == kNoIndex) continue;
      if (g_.parameters.unsent && may_be_unsent(g_, entry, point.at)) miss(point, entry, true);
      if (g_.entries[entry].attached > point.at) continue;
      --point.came;
      if (point.kind == Kind::root && entry != root) continue;
      const bool lost =
          point.kind == Kind::connect ? never_calls(entry) : !g_.can(g_.future(entry));
      if (lost) miss(point, entry, false);
    }
  }

  void find_missing_of_message(Point& point) const {
    const WaitGraph::Message& message = g_.messages[point.at];
    point.communicator = g_.entries[message.entry].communicator;
    point.members = 2;
    point.came = 1;
    point.misfit = message.misfit;
    if (message.awaits != kNoIndex && !g_.can(g_.come(operation_of_message(message.awaits)))) {
      miss(point, g_.messages[message.awaits].entry, true);
    } else if (message.awaits_entry != kNoIndex && !g_.can(g_.future(message.awaits_entry))) {
      miss(point, message.awaits_entry, false);
    } else if (message.alternatives != kNoIndex) {
      find_missing_senders(point, message);
    }
  }

  void find_missing_of_pair(Point& point) const {
    const WaitGraph::Message& message = g_.messages[point.at];
    point.communicator = g_.entries[message.entry].communicator;
    point.members = 2;
    point.came = 1;
    miss(point, message.connects_to, false);
  }

  // For a receive that accepts any source: all ranks that could send.
  void find_missing_senders(Point& point, const WaitGraph::Message& message) const {
    const WaitGraph::Communicator& communicator = g_.communicators[point.communicator];
    point.members = communicator.size;
    for (Index member = 0; member < communicator.size; ++member) {
      const Index entry = g_.members[communicator.first_member + member];
      const bool may_send =
          message.peer == record::kAnyPeer || member == static_cast<Index>(message.peer);
      // Its own other threads could send too, but blaming a rank for not sending to itself would
      // help no one.
      if (entry != kNoIndex && entry != message.entry && may_send) miss(point, entry, false);
    }
    if (point.missing.empty()) miss(point, message.entry, false);
  }

  void find_missing_of_gathering(Point& point) const {
    const WaitGraph::Gathering& gathering = g_.gatherings[point.at];
    const WaitGraph::Communicator& communicator = g_.communicators[gathering.communicator];
    point.communicator = gathering.communicator;
    point.members = communicator.size;
    if (gathering.call != record::Call::comm_init) {
      for (const Index entry : gathering.missing) {
        // A rank that can still act may come; a rank that waits in another call of the communicator
        // will not.
        if (never_calls(entry)) miss(point, entry, false);
      }
      point.came = point.members - static_cast<Index>(point.missing.size());
      return;
    }
    point.misfit = communicator.sizes_differ || communicator.duplicate;
    std::vector<bool> inside(g_.snapshots.size(), false);
    for (Index entry = 0; entry < g_.entries.size(); ++entry) {
      const WaitGraph::Entry& of = g_.entries[entry];
      if (of.communicator == gathering.communicator && !g_.has_failed_to_join(entry)) {
        inside[of.process] = true;
      }
    }
    // If no process is absent, a process that should have brought several ranks in is itself
    // missing.
    bool none = true;
    for (Index process = 0; process < g_.snapshots.size(); ++process) {
      if (inside[process]) continue;
      none = false;
      point.missing.push_back({.process = process});
    }
    if (none && !point.misfit) {
      for (const Index process : point.waiting) point.missing.push_back({.process = process});
    }
  }

  const WaitGraph& g_;
  Points found_;
  std::unordered_map<std::uint64_t, Index> point_of_;
};

}  // namespace

Points stuck_points(const WaitGraph& graph) { return Finder(graph).find(); }

}  // namespace gridlock::detect
