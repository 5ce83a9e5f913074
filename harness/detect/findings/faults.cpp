// What each culprit did.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "harness/detect/blame/sides.h"
#include "harness/detect/blame/waits_for.h"
#include "harness/detect/findings/describe.h"

namespace gridlock::detect {
namespace {

// A call that NCCL refused, if no collective followed on its communicator.
After what_failed(const record::Snapshot& snapshot) {
  const auto found = std::find_if(
      snapshot.communicators.begin(), snapshot.communicators.end(),
      [](const auto& communicator) { return communicator.failed_call != record::Call::none; });
  if (found == snapshot.communicators.end()) return {};
  return {.kind = After::Kind::failed,
          .call = found->failed_call,
          .slot = found->next_slot,
          .result = found->failed_result};
}

// That call, or the newest communication in the snapshot.
After after_what(const record::Snapshot& snapshot) {
  if (After failed = what_failed(snapshot); failed.kind != After::Kind::nothing) return failed;
  const auto newest =
      std::find_if(snapshot.operations.rbegin(), snapshot.operations.rend(),
                   [](const auto& operation) { return record::is_communication(operation.call); });
  if (newest == snapshot.operations.rend()) return {};
  return {.kind = After::Kind::call,
          .call = newest->call,
          .slot = newest->slot,
          .label = std::string(newest->label.view())};
}

phrase::Ended how_it_ended(const record::Snapshot& snapshot) {
  return {.by_signal = snapshot.process == record::ProcessState::signaled,
          .code = snapshot.exit_code,
          .code_known = snapshot.code_known,
          .after = after_what(snapshot)};
}

Phrase host_code(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const record::Thread* found = nullptr;
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists || thread.waits != record::Waits::nothing) continue;
    if (found == nullptr || thread.tid == snapshot.pid) found = &thread;
  }
  if (found == nullptr) {
    if (!snapshot.threads.empty()) return phrase::InUnrecordedCode{};
    const record::Thread& first = snapshot.first_thread;
    return phrase::NoCallYet{first.state, first.syscall, first.wait_channel};
  }
  return phrase::InHostCode{.main_thread = found->tid == snapshot.pid,
                            .state = found->state,
                            .syscall = found->syscall,
                            .wait_channel = found->wait_channel,
                            .after = what_failed(snapshot)};
}

// The first place at which the process waits; null if it waits nowhere.
const Waiter* waiter_of(const Points& points, Index process) {
  const auto waiter =
      std::lower_bound(points.waiters.begin(), points.waiters.end(), process,
                       [](const Waiter& one, Index wanted) { return one.process < wanted; });
  return waiter != points.waiters.end() && waiter->process == process ? &*waiter : nullptr;
}

// Unrecorded code, which a stream or a host thread runs.
Phrase unrecorded_code(const WaitGraph& graph, const Points& points, const CommunicatorNames& names,
                       Index process) {
  const Waiter* first = waiter_of(points, process);
  for (std::size_t at = first == nullptr ? points.waiters.size()
                                         : static_cast<std::size_t>(first - points.waiters.data());
       at < points.waiters.size() && points.waiters[at].process == process; ++at) {
    const Waiter& waiter = points.waiters[at];
    const Point::Kind kind = points.points[waiter.point].kind;
    if (kind == Point::Kind::host_function) {
      return phrase::InStreamFunction{place_of(graph, points, names, waiter)};
    }
    if (kind == Point::Kind::inside_nccl) {
      return phrase::InsideNccl{place_of(graph, points, names, waiter)};
    }
  }
  return host_code(graph, process);
}

// Unrecorded work on the device.
Phrase device_work(const WaitGraph& graph, const Points& points, const CommunicatorNames& names,
                   Index process) {
  for (const Waiter& waiter : points.waiters) {
    const Point& point = points.points[waiter.point];
    if (waiter.process != process || !is_on_device(point)) continue;
    return phrase::OnItsDevice{.at = place_of(graph, points, names, waiter),
                               .in_front = point.kind == Point::Kind::device_work};
  }
  return host_code(graph, process);
}

Phrase mismatched_call(const WaitGraph& graph, const Points& points, const Blame& blame,
                       const Ledger* ledger, Index process) {
  for (const Index index : blame.points) {
    const std::vector<Side> sides = sides_at(graph, points.points[index], ledger);
    for (const Side& side : sides) {
      if (!std::binary_search(side.processes.begin(), side.processes.end(), process)) continue;
      const Side& other = &side == &sides.front() && sides.size() > 1 ? sides[1] : sides.front();
      return phrase::CalledOther{.own = side.shape, .others = other.shape};
    }
  }
  return phrase::CalledUnfit{};
}

// Whether ranks wait for more than one communicator to form.
bool several_form(const WaitGraph& graph, const Points& points, const Blame& blame) {
  return std::ranges::count_if(
             blame.points, [&](Index index) { return is_init(graph, points.points[index]); }) > 1;
}

// The others who joined with `entry`.
struct Others {
  std::int32_t count = 0;
  std::int32_t size = 0;  // that all of them announced; 0: none, or they disagree
};
Others others_of(const WaitGraph& graph, Index entry) {
  Others others;
  for (Index other = 0; other < graph.entries.size(); ++other) {
    const bool joined_too = graph.entries[other].communicator == graph.entries[entry].communicator;
    if (!joined_too || other == entry) continue;
    const std::int32_t one = graph.record_of(other).size;
    others.size = others.count == 0 || one == others.size ? one : 0;
    ++others.count;
  }
  return others;
}

// The first call for which others wait, and which the process has not made.
std::optional<Place> missed_by(const WaitGraph& graph, const Points& points, const Blame& blame,
                               const CommunicatorNames& names, Index process) {
  for (const Index index : blame.points) {
    const Point& point = points.points[index];
    const bool is_missed = std::ranges::any_of(point.missing, [&](const Point::Missing& one) {
      return one.process == process && !one.enqueued;
    });
    if (!is_missed || (!point.at_slot() && point.kind != Point::Kind::gathering)) continue;
    const auto other = std::ranges::find(points.waiters, index, &Waiter::point);
    if (other != points.waiters.end()) return place_of(graph, points, names, *other);
  }
  return std::nullopt;
}

Phrase where_it_is(const WaitGraph& graph, const Points& points, const Blame& blame,
                   const CommunicatorNames& names, Index process) {
  for (const Index index : blame.points) {
    for (const Point::Missing& missing : points.points[index].missing) {
      if (missing.process == process && missing.left) return phrase::HasClosed{};
    }
  }
  const Waiter* waiter = waiter_of(points, process);
  if (waiter == nullptr) return host_code(graph, process);
  Place place = place_of(graph, points, names, *waiter);
  if (blame.cause == Cause::rank_exited) return phrase::OneCallTooMany{std::move(place)};
  return phrase::WaitsIn{std::move(place), missed_by(graph, points, blame, names, process)};
}

Phrase after_a_failed_init(const WaitGraph& graph, const Points& points, const Blame& blame,
                           const CommunicatorNames& names, Index process, Index entry) {
  if (!graph.processes[process].gone) {
    if (graph.record_of(entry).last_call == record::Call::comm_abort) return phrase::HasAborted{};
    return where_it_is(graph, points, blame, names, process);
  }
  phrase::Ended end = how_it_ended(graph.snapshots[process]);
  if (end.after.kind == After::Kind::nothing) {
    end.after = {.kind = After::Kind::failed, .call = record::Call::comm_init};
  }
  return end;
}

Phrase init_fault(const WaitGraph& graph, const Points& points, const Blame& blame,
                  const CommunicatorNames& names, Index process) {
  for (const Index index : blame.points) {
    const Point& point = points.points[index];
    for (Index entry = graph.processes[process].first_entry;
         entry < graph.processes[process + 1].first_entry; ++entry) {
      if (graph.entries[entry].communicator != point.communicator) continue;
      if (graph.entries[entry].aborted) {
        return after_a_failed_init(graph, points, blame, names, process, entry);
      }
      if (graph.processes[process].gone) {
        phrase::Ended end = how_it_ended(graph.snapshots[process]);
        end.after = {.kind = After::Kind::inside, .call = record::Call::comm_init};
        return end;
      }
      const record::Communicator& record = graph.record_of(entry);
      const Others others = others_of(graph, entry);
      return phrase::Joined{.communicator = {.given = record.name},
                            .rank = record.rank,
                            .size = record.size,
                            .others_size = others.size == record.size ? 0 : others.size,
                            .one_other = others.count == 1,
                            .another_id = !point.misfit && several_form(graph, points, blame)};
    }
  }
  if (!graph.processes[process].gone) return phrase::NeverJoined{};
  phrase::Ended end = how_it_ended(graph.snapshots[process]);
  end.never_joined = true;
  return end;
}

}  // namespace

OtherSide other_side(const WaitGraph& graph, const WaitGraph::Operation& of) {
  const record::Operation& operation = graph.source(of);
  if (!record::is_message(operation.call)) return {};
  OtherSide other{.peer = operation.peer};
  if (record::is_mpi(operation.call)) other.tag = operation.tag;
  if (operation.peer == record::kAnyPeer) return other;
  const Index entry = graph.entry_of(graph.entries[of.entry].communicator, operation.peer);
  // If it is not there, the number that it has in the communicator must do.
  if (entry != kNoIndex) other.peer = graph.snapshots[graph.entries[entry].process].rank;
  return other;
}

Place place_of(const WaitGraph& graph, const Points& points, const CommunicatorNames& names,
               const Waiter& waiter) {
  const Point& point = points.points[waiter.point];
  Place place;
  if (point.communicator != kNoIndex) {
    place.communicator = names.name(graph.communicators[point.communicator].id);
  }
  if (waiter.operation == kNoIndex) {
    const record::Thread& thread = graph.record_of_thread(waiter.thread);
    place.call = thread.call;
    if (point.kind == Point::Kind::graphs) {
      const record::Snapshot& snapshot = graph.snapshots[waiter.process];
      place.graphs = snapshot.communicators[thread.communicator].graphs;
    }
    return place;
  }
  const record::Operation& operation = graph.source(graph.operations[waiter.operation]);
  place.call = operation.call;
  place.slot = operation.slot;
  place.other = other_side(graph, graph.operations[waiter.operation]);
  place.label = operation.label.view();
  return place;
}

std::vector<Verdict::Fault> faults_of(const WaitGraph& graph, const Points& points,
                                      const Blame& blame, const Ledger* ledger,
                                      const CommunicatorNames& names) {
  std::map<Phrase, std::vector<int>> of_phrase;
  for (const Index process : blame.culprits) {
    const Phrase what = [&]() -> Phrase {
      if (blame.cause == Cause::mismatch) {
        return mismatched_call(graph, points, blame, ledger, process);
      }
      if (blame.cause == Cause::init) return init_fault(graph, points, blame, names, process);
      if (graph.processes[process].gone) return how_it_ended(graph.snapshots[process]);
      if (graph.snapshots[process].goes_on() && waiter_of(points, process) == nullptr) {
        return phrase::GoesOn{missed_by(graph, points, blame, names, process)};
      }
      if (blame.cause == Cause::host_stuck) return unrecorded_code(graph, points, names, process);
      if (blame.cause == Cause::device_stuck) return device_work(graph, points, names, process);
      return where_it_is(graph, points, blame, names, process);
    }();
    of_phrase[what].push_back(graph.snapshots[process].rank);
  }
  std::vector<Verdict::Fault> faults;
  for (auto& [phrase, ranks] : of_phrase) {
    std::sort(ranks.begin(), ranks.end());
    faults.push_back({.ranks = ranks, .what = phrase});
  }
  std::sort(faults.begin(), faults.end(),
            [](const auto& a, const auto& b) { return a.ranks.front() < b.ranks.front(); });
  return faults;
}

}  // namespace gridlock::detect
