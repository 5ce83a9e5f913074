// Finds the places at which ranks wait for what can never happen.
#include "harness/detect/graph/points.h"

#include <algorithm>
#include <unordered_map>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/actors/threads.h"
#include "harness/detect/graph/may_wait.h"
#include "harness/detect/graph/meetings/gatherings.h"
#include "harness/detect/graph/missing.h"

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
      if (g_.hosts == Hosts::frozen) look_at_deferred(process);
      for (Index thread = g_.processes[process].first_thread;
           thread < g_.processes[process + 1].first_thread; ++thread) {
        if (g_.threads[thread].blocked && !g_.can(g_.thread(thread))) look_at_thread(thread);
      }
    }
    for (Point& point : found_.points) find_missing(g_, point);
    if (std::ranges::any_of(g_.snapshots, &record::Snapshot::goes_on))
      leave_out_what_holds_nobody();
    return std::move(found_);
  }

 private:
  // What a rank that goes on waits for beside that matters only where others wait for it there. If
  // all go on, all of it matters.
  void leave_out_what_holds_nobody() {
    std::vector<bool> held(g_.snapshots.size());
    std::vector<Index> left;
    for (const Waiter& waiter : found_.waiters) {
      if (!g_.snapshots[waiter.process].goes_on()) left.push_back(waiter.process);
    }
    if (left.empty()) return;
    while (!left.empty()) {
      const Index process = left.back();
      left.pop_back();
      if (held[process]) continue;
      held[process] = true;
      for (const Point& point : found_.points) {
        if (!std::ranges::binary_search(point.waiting, process)) continue;
        for (const Point::Missing& missing : point.missing) {
          const bool goes_on = g_.snapshots[missing.process].goes_on();
          if (missing.enqueued || !goes_on) left.push_back(missing.process);
        }
      }
    }
    keep_waits_of(held);
  }

  void keep_waits_of(const std::vector<bool>& held) {
    Points kept;
    std::vector<Index> new_index(found_.points.size(), kNoIndex);
    for (Waiter waiter : found_.waiters) {
      if (!held[waiter.process]) continue;
      Index& index = new_index[waiter.point];
      if (index == kNoIndex) {
        index = static_cast<Index>(kept.points.size());
        kept.points.push_back(std::move(found_.points[waiter.point]));
        std::erase_if(kept.points.back().waiting, [&](Index process) { return !held[process]; });
      }
      waiter.point = index;
      kept.waiters.push_back(waiter);
    }
    found_ = std::move(kept);
  }

  // Looks at the first unit that cannot end, if the stream can reach it: earlier units will drain.
  void look_at_stream(Index process, Index stream) {
    const WaitGraph::Stream& of = g_.streams[stream];
    // A request that no thread waits for holds up no rank.
    if (of.mpi && of.awaited_ns == WaitGraph::Stream::kNobodyWaits) return;
    Index unit = of.first_unit;
    const Index end = unit + of.units;
    while (unit < end && g_.can(g_.pass(unit))) ++unit;
    if (unit == end || is_under_way(process, unit)) return;
    if (!g_.can(g_.reach(unit))) return look_in_front_of(process, unit);
    std::vector<Index> operations;
    for (Index at = g_.first_operation[unit]; at != kNoIndex; at = g_.operations[at].next) {
      operations.push_back(at);
    }
    std::reverse(operations.begin(), operations.end());  // in call order
    for (const Index index : operations) look_at_operation(process, index);
  }

  // In a stall, what NCCL launches by itself is on its stream.
  void look_at_deferred(Index process) {
    for (const WaitGraph::Announced& announced : g_.announced) {
      const bool is_its = g_.streams[announced.stream].process == process;
      if (announced.thread != kNoIndex || !is_its) continue;
      if (g_.can(g_.pass(announced.unit)) || !g_.can(g_.reach(announced.unit))) continue;
      for (Index at = g_.first_operation[announced.unit]; at != kNoIndex;
           at = g_.operations[at].next) {
        look_at_operation(process, at);
      }
    }
  }

  // Whether the rank goes on, and has made the unit's calls only lately.
  bool is_under_way(Index process, Index unit) const {
    const record::Snapshot& snapshot = g_.snapshots[process];
    const Index first = g_.first_operation[unit];
    return snapshot.goes_on() && (first == kNoIndex || g_.source(g_.operations[first]).time_ns >=
                                                           snapshot.goes_on_since_ns);
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
          (of.awaits != kNoIndex && !g_.can(g_.come(operation_of_message(g_, of.awaits)))) ||
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
    // NCCL waits for these before it waits for other ranks.
    if (is_held_by_graphs(g_, thread) && !g_.can(g_.host(node.process))) {
      return add(Kind::graphs, thread, node.process, kNoIndex, thread);
    }
    if (node.gathering != kNoIndex && !g_.can(g_.gathering(node.gathering))) {
      add(Kind::gathering, node.gathering, node.process, kNoIndex, thread);
    }
    const bool only_work = g_.need[g_.thread(thread)] == kNever;
    if (only_work && waits_for_device(g_.record_of_thread(thread))) {
      add(Kind::device_wait, thread, node.process, kNoIndex, thread);
    } else if (only_work && may_stay_inside(g_.record_of_thread(thread))) {
      add(Kind::inside_nccl, thread, node.process, kNoIndex, thread);
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
    if (peer != kNoIndex && never_calls(g_, peer)) {
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

  const WaitGraph& g_;
  Points found_;
  std::unordered_map<std::uint64_t, Index> point_of_;
};

}  // namespace

Points stuck_points(const WaitGraph& graph) { return Finder(graph).find(); }

}  // namespace gridlock::detect
