// What each culprit did, as a phrase.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "harness/detect/blame/sides.h"
#include "harness/detect/words/describe.h"
#include "harness/detect/words/text.h"

namespace gridlock::detect {
namespace {

std::string quoted(std::string_view text) {
  return text.empty() ? std::string() : fmt::format(" '{}'", text);
}

// A call that NCCL refused and that no collective came after on its communicator.
std::string what_failed(const record::Snapshot& snapshot) {
  const auto found = std::find_if(
      snapshot.communicators.begin(), snapshot.communicators.end(),
      [](const auto& communicator) { return communicator.failed_call != record::Call::none; });
  if (found == snapshot.communicators.end()) return "";
  const std::string call = record::is_collective(found->failed_call)
                               ? call_text(found->failed_call, found->next_slot)
                               : std::string(record::to_string(found->failed_call));
  return fmt::format(" after {} failed with {}", call,
                     record::name_of_result(found->failed_result));
}

// That, or the newest communication that the snapshot shows of a process.
std::string after_what(const record::Snapshot& snapshot) {
  if (std::string failed = what_failed(snapshot); !failed.empty()) return failed;
  const auto newest =
      std::find_if(snapshot.operations.rbegin(), snapshot.operations.rend(),
                   [](const auto& operation) { return record::is_communication(operation.call); });
  if (newest == snapshot.operations.rend()) return "";
  return fmt::format(" after {}{}", call_text(newest->call, newest->slot),
                     quoted(newest->label.view()));
}

std::string how_it_ended(const record::Snapshot& snapshot) {
  if (snapshot.process == record::ProcessState::signaled) {
    return fmt::format("was killed by signal {}{}", snapshot.exit_code, after_what(snapshot));
  }
  return fmt::format("exited with code {}{}", snapshot.exit_code, after_what(snapshot));
}

std::string_view name_of_state(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "asleep";
    case 'D':
      return "in uninterruptible sleep";
    case 'Z':
      return "a zombie";
    case 'T':
    case 't':
      return "stopped";
    default:
      return "in host code";
  }
}

std::string what_kernel_says(const record::Snapshot& snapshot, const record::Thread& thread) {
  std::string text = thread.tid == snapshot.pid ? "has its main thread " : "has a thread ";
  text += name_of_state(thread.state);
  if (!thread.syscall.empty()) text += fmt::format(" in {}", thread.syscall);
  if (!thread.wait_channel.empty()) text += fmt::format(" (kernel: {})", thread.wait_channel);
  return text + ", outside any recorded call" + what_failed(snapshot);
}

std::string host_code(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const record::Thread* found = nullptr;
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists || thread.waits != record::Waits::nothing) continue;
    if (found == nullptr || thread.tid == snapshot.pid) found = &thread;
  }
  if (found != nullptr) return what_kernel_says(snapshot, *found);
  return snapshot.threads.empty() ? "has made no recorded call yet"
                                  : "is in code that is not recorded";
}

// The first place at which the process waits; null where it waits nowhere.
const Waiter* waiter_of(const Points& points, Index process) {
  const auto waiter =
      std::lower_bound(points.waiters.begin(), points.waiters.end(), process,
                       [](const Waiter& one, Index wanted) { return one.process < wanted; });
  return waiter != points.waiters.end() && waiter->process == process ? &*waiter : nullptr;
}

// Code of the program that a stream runs, or a host thread does, and that nobody records.
std::string unrecorded_code(const WaitGraph& graph, const Points& points, Index process) {
  const Waiter* first = waiter_of(points, process);
  for (std::size_t at = first == nullptr ? points.waiters.size()
                                         : static_cast<std::size_t>(first - points.waiters.data());
       at < points.waiters.size() && points.waiters[at].process == process; ++at) {
    const Waiter& waiter = points.waiters[at];
    if (points.points[waiter.point].kind != Point::Kind::host_function) continue;
    return fmt::format("has a stream in {}, which has not returned",
                       place_of(graph, points, waiter));
  }
  return host_code(graph, process);
}

std::string mismatched_call(const WaitGraph& graph, const Points& points, const Blame& blame,
                            const Ledger* ledger, Index process) {
  for (const Index index : blame.points) {
    const std::vector<Side> sides = sides_at(graph, points.points[index], ledger);
    for (const Side& side : sides) {
      if (!std::binary_search(side.processes.begin(), side.processes.end(), process)) continue;
      const Side& other = &side == &sides.front() && sides.size() > 1 ? sides[1] : sides.front();
      return fmt::format("called {} where others called {}", shape_text(side.shape),
                         shape_text(other.shape));
    }
  }
  return "made a call that does not fit the others'";
}

std::string init_fault(const WaitGraph& graph, const Points& points, const Blame& blame,
                       Index process) {
  for (const Index index : blame.points) {
    const Point& point = points.points[index];
    for (Index entry = graph.processes[process].first_entry;
         entry < graph.processes[process + 1].first_entry; ++entry) {
      if (graph.entries[entry].communicator != point.communicator) continue;
      const record::Communicator& record = graph.record_of(entry);
      return fmt::format("joined communicator{} as rank {} of {}", quoted(record.name), record.rank,
                         record.size);
    }
  }
  const record::Snapshot& snapshot = graph.snapshots[process];
  if (graph.processes[process].gone) return how_it_ended(snapshot) + " and never called comm_init";
  return "never called comm_init for the communicator that the others wait to form";
}

std::string where_it_is(const WaitGraph& graph, const Points& points, const Blame& blame,
                        Index process) {
  for (const Index index : blame.points) {
    for (const Point::Missing& missing : points.points[index].missing) {
      if (missing.process == process && missing.left) {
        return "has closed the communicator that the others wait on";
      }
    }
  }
  const Waiter* waiter = waiter_of(points, process);
  if (waiter == nullptr) return host_code(graph, process);
  const std::string place = place_of(graph, points, *waiter);
  if (blame.cause == Cause::rank_exited) {
    return fmt::format("made a call that most ranks have ended without: {}", place);
  }
  return "waits in " + place;
}

}  // namespace

namespace {

// " from rank 3" of a message of MPI, whose numbers count by peer.
std::string peer_text(const record::Operation& operation) {
  if (!record::is_message(operation.call) || !record::is_mpi(operation.call)) return "";
  if (operation.peer == record::kAnyPeer) return " from any rank";
  return fmt::format(" {} rank {}", record::sends(operation.call) ? "to" : "from", operation.peer);
}

}  // namespace

std::string place_of(const WaitGraph& graph, const Points& points, const Waiter& waiter) {
  const Point& point = points.points[waiter.point];
  std::string name;
  for (Index entry = graph.processes[waiter.process].first_entry;
       entry < graph.processes[waiter.process + 1].first_entry; ++entry) {
    if (graph.entries[entry].communicator == point.communicator) {
      name = graph.record_of(entry).name;
    }
  }
  const std::string on = name.empty() ? "" : fmt::format(" on '{}'", name);
  if (waiter.operation == kNoIndex) {
    return call_text(graph.record_of_thread(waiter.thread).call, 0) + on;
  }
  const record::Operation& operation = graph.source(graph.operations[waiter.operation]);
  return call_text(operation.call, operation.slot) + peer_text(operation) +
         quoted(operation.label.view()) + on;
}

std::vector<Verdict::Fault> faults_of(const WaitGraph& graph, const Points& points,
                                      const Blame& blame, const Ledger* ledger) {
  std::map<std::string, std::vector<int>> of_phrase;
  for (const Index process : blame.culprits) {
    std::string phrase;
    if (blame.cause == Cause::mismatch) {
      phrase = mismatched_call(graph, points, blame, ledger, process);
    } else if (blame.cause == Cause::init) {
      phrase = init_fault(graph, points, blame, process);
    } else if (graph.processes[process].gone) {
      phrase = how_it_ended(graph.snapshots[process]);
    } else if (blame.cause == Cause::host_stuck) {
      phrase = unrecorded_code(graph, points, process);
    } else {
      phrase = where_it_is(graph, points, blame, process);
    }
    of_phrase[phrase].push_back(graph.snapshots[process].rank);
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
