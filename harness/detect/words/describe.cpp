// A verdict in full.
#include "harness/detect/words/describe.h"

#include <fmt/core.h>

#include <algorithm>

#include "harness/detect/words/text.h"

namespace gridlock::detect {
namespace {

// So many groups are told in the paragraph; all of them are in the verdict.
constexpr std::size_t kToldGroups = 6;

std::string wait_text(const Wait& wait) {
  std::string text =
      fmt::format("{} {} in {}", ranks_text(wait.ranks), wait.ranks.size() == 1 ? "waits" : "wait",
                  call_text(wait.operation, wait.slot));
  if (!wait.label.empty()) text += fmt::format(" '{}'", wait.label);
  if (!wait.communicator.empty()) text += fmt::format(" on communicator '{}'", wait.communicator);
  if (!wait.callers.empty() && !wait.callers.front().module.empty()) {
    text += fmt::format(" (called at {}+{:#x})", wait.callers.front().module,
                        wait.callers.front().offset);
  }
  return text;
}

std::string_view conclusion(Cause cause) {
  switch (cause) {
    case Cause::missing_rank:
      return "They do not do what most ranks of the communicator do.";
    case Cause::rank_exited:
      return "A process that is gone never arrives.";
    case Cause::mismatch:
      return "Calls that differ in kind, size or root never complete together.";
    case Cause::cycle:
      return "They wait for each other in a circle.";
    case Cause::host_stuck:
      return "Nothing is proven: code that is not recorded may still go on.";
    case Cause::init:
      return "The communicator never forms.";
    case Cause::self:
      return "The process would have to make another call itself, while it waits in this one.";
    case Cause::none:
      break;
  }
  return "";
}

std::string explain(const Verdict& verdict, const WaitGraph& graph) {
  std::vector<std::string> parts;
  for (const Wait& wait : verdict.waiting) {
    if (parts.size() == kToldGroups) {
      parts.push_back(fmt::format("{} more groups", verdict.waiting.size() - kToldGroups));
      break;
    }
    parts.push_back(wait_text(wait));
  }
  for (const Verdict::Fault& fault : verdict.faults) {
    // Said already: a culprit that only waits.
    if (fault.what.starts_with("waits in")) continue;
    parts.push_back(fmt::format("{} {}", ranks_text(fault.ranks), fault.what));
  }
  std::string text = join_text(parts, "; ");
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!text.empty()) text += ". ";
  if (!verdict.culprits.empty() && !verdict.faults.empty()) {
    text += fmt::format("To blame: {}. ", ranks_text(verdict.culprits));
  }
  text += conclusion(verdict.cause);
  std::vector<int> unread;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    if (!graph.processes[process].trusted) unread.push_back(graph.snapshots[process].rank);
  }
  if (!unread.empty()) {
    std::sort(unread.begin(), unread.end());
    text += fmt::format(" Nothing is proven about {}: the record is damaged, overrun or given up.",
                        ranks_text(unread));
  }
  return text;
}

// Whether one of the sends that may be buffered is what a thread of the process waits for.
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

std::vector<std::string> cycle_of(const WaitGraph& graph, const Points& points,
                                  const Blame& blame) {
  std::vector<std::string> cycle;
  for (std::size_t index = 0; index + 1 < blame.cycle.size(); index += 2) {
    const Index process = blame.cycle[index];
    const Index point = blame.cycle[index + 1];
    const auto waiter = std::find_if(
        points.waiters.begin(), points.waiters.end(),
        [&](const Waiter& one) { return one.process == process && one.point == point; });
    cycle.push_back(fmt::format("rank {} ({})", graph.snapshots[process].rank,
                                place_of(graph, points, *waiter)));
  }
  if (!cycle.empty()) {
    const std::string first = cycle.front();
    cycle.push_back(first);
  }
  return cycle;
}

}  // namespace

std::vector<std::string> assumptions_of(const WaitGraph& graph, const Points& points,
                                        const std::vector<Index>& dead) {
  std::vector<int> others;
  std::vector<int> may;
  std::vector<int> polled;
  std::vector<int> sends;
  std::vector<int> ends;
  for (const Index process : dead) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (snapshot.other_threads > 0) others.push_back(snapshot.rank);
    if (waits_in_standard_send(graph, process)) sends.push_back(snapshot.rank);
    if (std::any_of(snapshot.threads.begin(), snapshot.threads.end(), begins_or_ends_mpi)) {
      ends.push_back(snapshot.rank);
    }
    const bool only_may = std::any_of(
        snapshot.threads.begin(), snapshot.threads.end(), [&](const record::Thread& thread) {
          return thread.exists && thread.waits != record::Waits::nothing && only_may_wait(thread);
        });
    if (only_may && snapshot.backend == "cuda") may.push_back(snapshot.rank);
    if (std::any_of(snapshot.streams.begin(), snapshot.streams.end(),
                    [](const record::Stream& stream) { return stream.polled; })) {
      polled.push_back(snapshot.rank);
    }
  }
  std::vector<int> died_inside;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (!graph.processes[process].gone) continue;
    if (std::any_of(
            snapshot.streams.begin(), snapshot.streams.end(),
            [](const record::Stream& stream) { return stream.started > stream.completed; })) {
      died_inside.push_back(snapshot.rank);
    }
  }
  std::vector<std::string> assumptions;
  for (std::vector<int>* ranks : {&others, &may, &polled, &sends, &ends, &died_inside}) {
    std::sort(ranks->begin(), ranks->end());
  }
  if (!others.empty()) {
    assumptions.push_back(fmt::format(
        "threads of {} that never made a recorded call will not start to", ranks_text(others)));
  }
  if (!may.empty()) {
    assumptions.push_back(
        fmt::format("a call of {} that may wait (copy, allocation, free, abort, or one that "
                    "makes connections) does",
                    ranks_text(may)));
  }
  if (!polled.empty()) {
    assumptions.push_back(fmt::format(
        "stream progress of {}, found by polling, is what its events say", ranks_text(polled)));
  }
  if (!sends.empty()) {
    assumptions.push_back(
        fmt::format("the standard send that {} {} in is not buffered but waits for its receive",
                    ranks_text(sends), sends.size() == 1 ? "is" : "are"));
  }
  if (!ends.empty()) {
    assumptions.push_back(
        fmt::format("MPI_Init or MPI_Finalize of {} waits for all ranks", ranks_text(ends)));
  }
  if (!died_inside.empty()) {
    assumptions.push_back(fmt::format(
        "what {} had under way when the process ended goes no further", ranks_text(died_inside)));
  }
  const auto misfits = [&](bool of_mpi) {
    return std::any_of(points.points.begin(), points.points.end(), [&](const Point& point) {
      return point.misfit && !point.waiting.empty() && is_of_mpi(graph, point) == of_mpi &&
             (of_mpi || graph.snapshots[point.waiting.front()].backend == "cuda");
    });
  };
  if (misfits(false)) {
    assumptions.emplace_back(
        "calls that differ in kind, size or root never complete (NCCL leaves it undefined)");
  }
  if (misfits(true)) {
    assumptions.emplace_back(
        "collectives of MPI that differ in kind or root never complete (MPI leaves it undefined)");
  }
  return assumptions;
}

Verdict describe(const WaitGraph& graph, const Points& points, const Blame& blame,
                 const Ledger* ledger, Outcome outcome) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.cause = blame.cause;
  for (const Index process : blame.culprits) {
    verdict.culprits.push_back(graph.snapshots[process].rank);
  }
  std::sort(verdict.culprits.begin(), verdict.culprits.end());
  verdict.waiting = waits_of(graph, points);
  verdict.faults = faults_of(graph, points, blame, ledger);
  verdict.cycle = cycle_of(graph, points, blame);
  verdict.explanation = explain(verdict, graph);
  return verdict;
}

}  // namespace gridlock::detect
