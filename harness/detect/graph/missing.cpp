// Finds whom the ranks at a point wait for.
#include "harness/detect/graph/missing.h"

#include <algorithm>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/meetings/connects.h"
#include "harness/detect/graph/meetings/gatherings.h"
#include "harness/detect/graph/unsent.h"

namespace gridlock::detect {
namespace {

class Missing {
 public:
  explicit Missing(const WaitGraph& graph) : g_(graph) {}

  void find(Point& point) const {
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
      case Kind::inside_nccl:
        point.communicator = g_.entries[entry_of_thread(point)].communicator;
        break;
      case Kind::graphs:
        point.communicator = g_.entries[entry_of_thread(point)].communicator;
        point.members = 1;
        point.missing.push_back({.process = g_.threads[point.at].process});
        break;
      case Kind::host_function:
      case Kind::device_wait:
        break;
    }
    std::ranges::sort(point.missing, {}, &Point::Missing::process);
  }

 private:
  using Kind = Point::Kind;

  Index entry_of_thread(const Point& point) const {
    return g_.processes[g_.threads[point.at].process].first_entry +
           g_.record_of_thread(point.at).communicator;
  }

  void miss(Point& point, Index entry, bool enqueued) const {
    const WaitGraph::Entry& of = g_.entries[entry];
    point.missing.push_back(
        {.process = of.process, .enqueued = enqueued, .left = of.left && !enqueued});
  }

  void find_missing_of_slot(Point& point) const {
    const WaitGraph::Slot& slot = g_.slots[point.at];
    const WaitGraph::Communicator& communicator = g_.communicators[slot.communicator];
    point.communicator = slot.communicator;
    point.members = communicator.size;
    point.misfit = slot.difference == Difference::fatal && point.kind != Kind::connect;
    point.came = communicator.size;
    const Index root = g_.entry_of(slot.communicator, slot.shape.root);
    for (const WaitGraph::SlotCall& call : g_.calls_at(point.at)) {
      const WaitGraph::Operation& operation = g_.operations[call.operation];
      const bool connects = point.kind == Kind::connect;
      if (connects ? !died_connecting(g_, operation) : g_.can(g_.come(operation))) continue;
      --point.came;
      if (point.kind == Kind::root && operation.entry != root) continue;
      miss(point, operation.entry, !connects);
    }
    for (Index member = 0; member < communicator.size; ++member) {
      const Index entry = g_.members[communicator.first_member + member];
      if (entry == kNoIndex) continue;
      if (g_.parameters.unsent && may_be_unsent(g_, entry, point.at)) miss(point, entry, true);
      if (g_.entries[entry].attached > point.at) continue;
      --point.came;
      if (point.kind == Kind::root && entry != root) continue;
      const bool lost =
          point.kind == Kind::connect ? never_calls(g_, entry) : !g_.can(g_.future(entry));
      if (lost) miss(point, entry, false);
    }
  }

  void find_missing_of_message(Point& point) const {
    const WaitGraph::Message& message = g_.messages[point.at];
    point.communicator = g_.entries[message.entry].communicator;
    point.members = 2;
    point.came = 1;
    point.misfit = message.misfit;
    if (message.awaits != kNoIndex && !g_.can(g_.come(operation_of_message(g_, message.awaits)))) {
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
        if (is_held_by_graphs(g_, g_.entries[entry].process, entry)) {
          point.missing.push_back({.process = g_.entries[entry].process});
          continue;
        }
        if (is_held_by_own_work(g_, entry)) {
          miss(point, entry, true);
          continue;
        }
        if (gathering.closing && is_revoked_only(g_, entry)) {
          const Index process = g_.entries[entry].process;
          if (!g_.can(g_.host(process))) point.missing.push_back({.process = process});
          continue;
        }
        // A rank that can still act may come; a rank that waits in another call of the communicator
        // will not.
        if (never_calls(g_, entry)) miss(point, entry, false);
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
        ++point.came;
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
};

}  // namespace

bool never_calls(const WaitGraph& graph, Index entry) {
  return graph.entries[entry].left || !graph.can(graph.host(graph.entries[entry].process));
}

const WaitGraph::Operation& operation_of_message(const WaitGraph& graph, Index message) {
  return graph.operations[graph.messages[message].operation];
}

void find_missing(const WaitGraph& graph, Point& point) { Missing(graph).find(point); }

}  // namespace gridlock::detect
