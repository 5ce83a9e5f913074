// What a proof assumes about the ranks that it calls dead: docs/detection.md has the table.
#include <algorithm>
#include <limits>

#include "harness/detect/findings/describe.h"
#include "harness/detect/graph/actors/failures.h"
#include "harness/detect/graph/actors/ruled_out.h"
#include "harness/detect/graph/actors/sleeps_of.h"
#include "harness/detect/graph/may_wait.h"

namespace gridlock::detect {
namespace {

// Whether a thread of the process waits for a send that may be buffered.
bool waits_in_standard_send(const WaitGraph& graph, Index process) {
  const auto first = graph.operations.begin() + graph.processes[process].first_operation;
  const auto end = graph.operations.begin() + graph.processes[process + 1].first_operation;
  return std::any_of(first, end, [&](const WaitGraph::Operation& operation) {
    return operation.call == record::Call::mpi_send &&
           graph.streams[graph.stream_of(operation)].awaited_ns !=
               WaitGraph::Stream::kNobodyWaits &&
           !graph.can(graph.complete(operation));
  });
}

// Whether the operation waits only because its data does not fit the buffers.
bool waits_for_room(const record::Operation& operation, const record::Communicator& own) {
  if (record::is_mpi(operation.call)) return false;
  if (operation.call == record::Call::send) return true;
  const auto wants = [&](std::uint64_t buffer_bytes) {
    return must_arrive(operation, own.rank, own.size, buffer_bytes);
  };
  return record::is_collective(operation.call) &&
         wants(kAssumedBuffer) != wants(std::numeric_limits<std::uint64_t>::max());
}

// Ranks that wait for room in buffers of unknown size.
std::vector<int> ranks_behind_buffers(const WaitGraph& graph, const Points& points) {
  std::vector<int> ranks;
  for (const Waiter& waiter : points.waiters) {
    const record::Snapshot& snapshot = graph.snapshots[waiter.process];
    const bool is_known = graph.known_buffer_bytes(waiter.process) && snapshot.own_nccl();
    if (waiter.operation == kNoIndex || is_known || waiter.thread != kNoIndex) continue;
    const WaitGraph::Operation& operation = graph.operations[waiter.operation];
    if (operation.entry == kNoIndex) continue;
    if (!waits_for_room(graph.source(operation), graph.record_of(operation.entry))) continue;
    if (ranks.empty() || ranks.back() != snapshot.rank) ranks.push_back(snapshot.rank);
  }
  return ranks;
}

bool begins_or_ends_mpi(const record::Thread& thread) {
  return thread.exists && thread.waits != record::Waits::nothing &&
         (thread.call == record::Call::mpi_init || thread.call == record::Call::mpi_finalize);
}

bool is_of_mpi(const WaitGraph& graph, const Point& point) {
  if (point.communicator == kNoIndex) return false;
  const WaitGraph::Communicator& of = graph.communicators[point.communicator];
  for (Index member = 0; member < of.size; ++member) {
    const Index entry = graph.members[of.first_member + member];
    if (entry != kNoIndex) return graph.record_of(entry).mpi;
  }
  return false;
}

// Whether the rank waits in the real NCCL for a communicator, one of whose members is gone.
bool makes_one_without_a_member(const WaitGraph& graph, const Points& points, Index process) {
  if (graph.snapshots[process].own_nccl()) return false;
  return std::ranges::any_of(points.waiters, [&](const Waiter& waiter) {
    const Point& point = points.points[waiter.point];
    if (waiter.process != process || point.kind != Point::Kind::gathering) return false;
    const record::Call call = graph.gatherings[point.at].call;
    if (call != record::Call::comm_init && call != record::Call::comm_split) return false;
    const WaitGraph::Communicator& communicator = graph.communicators[point.communicator];
    for (Index member = 0; member < communicator.size; ++member) {
      const Index entry = graph.members[communicator.first_member + member];
      if (entry != kNoIndex && graph.processes[graph.entries[entry].process].gone) return true;
    }
    return false;
  });
}

// Whether a device was at work when the process ended. A refused call has announced a beginning
// that does not come.
bool had_work_under_way(const record::Snapshot& snapshot) {
  for (std::uint32_t index = 0; index < snapshot.streams.size(); ++index) {
    const record::Stream& stream = snapshot.streams[index];
    if (stream.started <= stream.completed) continue;
    const bool announced =
        std::ranges::any_of(snapshot.operations, [&](const record::Operation& operation) {
          return operation.stream == index && operation.launched == 0 && operation.result == 0;
        });
    if (stream.enqueued > stream.completed || announced) return true;
  }
  return false;
}

// A way in which threads sleep, and whether it matters who naps so.
struct Way {
  bool record::Sleep::*is_so;
  bool naps_matter = false;
  bool operator()(const record::Sleep& sleep) const {
    return sleep.*is_so && (sleep.asleep || (naps_matter && sleep.by_clock));
  }
};

// Whether a process that is no rank sleeps in such a way. Whose it is the snapshots do not say: all
// stand in one, perhaps of a rank that is gone.
bool helper_sleeps_so(const WaitGraph& graph, Way way) {
  return std::ranges::any_of(graph.snapshots, [&](const record::Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.others, [&](const auto& sleeper) {
      return sleeper.process != snapshot.key && way(sleeper.sleep);
    });
  });
}

// Those of `dead` that sleep in such a way; all if a helper does.
std::vector<int> sleepers(const WaitGraph& graph, const std::vector<Index>& dead, Way way) {
  const bool helper = helper_sleeps_so(graph, way);
  std::vector<int> ranks;
  for (const Index process : dead) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (helper || any_sleep_of(snapshot, way)) ranks.push_back(snapshot.rank);
  }
  return ranks;
}

}  // namespace

std::vector<Phrase> assumptions_of(const WaitGraph& graph, const Points& points,
                                   const std::vector<Index>& dead) {
  using What = phrase::Assumes::What;
  std::vector<int> others;
  std::vector<int> signals;
  std::vector<int> outer_signals;
  std::vector<int> asked_to_end;
  std::vector<int> freed;
  std::vector<int> locks;
  std::vector<int> may;
  std::vector<int> polled;
  std::vector<int> failing;
  std::vector<int> sends;
  std::vector<int> ends;
  std::vector<int> told;
  const bool naps_matter = std::ranges::any_of(dead, [&](Index process) {
    return graph.snapshots[process].signals == record::Signals::by_children ||
           may_be_woken_by_the_clock(graph, process) ||
           waits_for_a_launcher_that_naps(graph, graph.snapshots[process]);
  });
  const Way waits_for_signal{&record::Sleep::for_signal, naps_matter};
  std::vector<int> opened = sleepers(graph, dead, {&record::Sleep::has_name, naps_matter});
  std::vector<int> serving = sleepers(graph, dead, {&record::Sleep::listens, naps_matter});
  std::vector<int> limited = sleepers(graph, dead, {&record::Sleep::has_far_limit});
  const bool helper_waits = helper_sleeps_so(graph, waits_for_signal);
  for (const Index process : dead) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (graph.has_others_awake(process)) others.push_back(snapshot.rank);
    if (snapshot.signals != record::Signals::none || helper_waits ||
        any_sleep_of(snapshot, waits_for_signal)) {
      signals.push_back(snapshot.rank);
    }
    if (ranks_may_signal(graph, snapshot)) outer_signals.push_back(snapshot.rank);
    if (launchers_may_ask_to_end(graph, snapshot)) asked_to_end.push_back(snapshot.rank);
    if (launchers_may_kill_a_waker(graph, snapshot)) freed.push_back(snapshot.rank);
    if (any_sleep_of(snapshot, Way{&record::Sleep::may_be_brief})) locks.push_back(snapshot.rank);
    if (kernels_may_fail(graph, process)) failing.push_back(snapshot.rank);
    if (waits_in_standard_send(graph, process)) sends.push_back(snapshot.rank);
    if (std::any_of(snapshot.threads.begin(), snapshot.threads.end(), begins_or_ends_mpi)) {
      ends.push_back(snapshot.rank);
    }
    const bool only_may = std::any_of(
        snapshot.threads.begin(), snapshot.threads.end(), [&](const record::Thread& thread) {
          return thread.exists && thread.waits != record::Waits::nothing &&
                 only_may_wait(snapshot, thread) && (!snapshot.own_nccl() || thread.is_launching());
        });
    if (only_may) may.push_back(snapshot.rank);
    if (makes_one_without_a_member(graph, points, process)) told.push_back(snapshot.rank);
    if (std::any_of(snapshot.streams.begin(), snapshot.streams.end(),
                    [](const record::Stream& stream) { return stream.polled; })) {
      polled.push_back(snapshot.rank);
    }
  }
  std::vector<int> died_inside;
  std::vector<int> restarts;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (!graph.processes[process].gone) continue;
    if (launcher_may_restart(graph, snapshot)) restarts.push_back(snapshot.rank);
    if (had_work_under_way(snapshot)) died_inside.push_back(snapshot.rank);
  }
  std::vector<int> buffered = ranks_behind_buffers(graph, points);
  std::vector<Phrase> assumptions;
  const auto assume = [&](What what, std::vector<int>& ranks) {
    std::sort(ranks.begin(), ranks.end());
    if (!ranks.empty()) assumptions.emplace_back(phrase::Assumes{.what = what, .ranks = ranks});
  };
  assume(What::silent_threads, others);
  if (naps_matter) {
    std::vector<int> napping;  // also those that are alive
    for (Index process = 0; process < graph.snapshots.size(); ++process) {
      if (naps(graph, process)) napping.push_back(graph.snapshots[process].rank);
    }
    assume(What::idle_threads, napping);
    if (helpers_may_work(graph)) {
      assumptions.emplace_back(phrase::Assumes{.what = What::helpers_nap});
    }
  }
  assume(What::no_signals, signals);
  const auto waits = [&](Index process) { return waits_for_others(graph.snapshots[process]); };
  if (one_beside_the_ranks_hears(graph) && std::ranges::any_of(dead, waits)) {
    assumptions.emplace_back(phrase::Assumes{.what = What::deaf_launchers});
  }
  assume(What::no_outer_signals, outer_signals);
  assume(What::not_asked_to_end, asked_to_end);
  assume(What::no_kills, freed);
  assume(What::brief_sleeps, locks);
  assume(What::no_openers, opened);
  assume(What::no_connections, serving);
  assume(What::far_limits, limited);
  assume(What::may_wait, may);
  assume(What::polled, polled);
  assume(What::no_failures, failing);
  assume(What::standard_send, sends);
  assume(What::mpi_begins_ends, ends);
  assume(What::died_inside, died_inside);
  assume(What::not_told, told);
  assume(What::no_restart, restarts);
  const bool strangers =
      graph.parameters.outsiders &&
      std::any_of(points.points.begin(), points.points.end(), [&](const Point& point) {
        return point.kind == Point::Kind::gathering && !point.misfit && !point.waiting.empty() &&
               graph.gatherings[point.at].call == record::Call::comm_init &&
               graph.communicators[point.communicator].size > graph.snapshots.size();
      });
  if (strangers) assumptions.emplace_back(phrase::Assumes{.what = What::no_strangers});
  assume(What::buffers, buffered);
  const auto misfits = [&](bool of_mpi) {
    return std::any_of(points.points.begin(), points.points.end(), [&](const Point& point) {
      return point.misfit && !point.waiting.empty() && is_of_mpi(graph, point) == of_mpi &&
             (of_mpi || !graph.snapshots[point.waiting.front()].own_nccl());
    });
  };
  if (misfits(false)) assumptions.emplace_back(phrase::Assumes{.what = What::misfits});
  if (misfits(true)) assumptions.emplace_back(phrase::Assumes{.what = What::misfits_of_mpi});
  return assumptions;
}

}  // namespace gridlock::detect
