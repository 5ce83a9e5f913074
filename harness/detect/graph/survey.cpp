// At a million operations, memory access dominates: each process is walked completely while it is
// in the cache.
#include "harness/detect/graph/survey.h"

#include <algorithm>

#include "harness/detect/graph/meetings/parts.h"
#include "harness/detect/graph/meetings/requests.h"
#include "harness/detect/graph/operations.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {
namespace {

// Prefetches what the walk reads of each operation, so that it is in the cache by then.
void fetch_ahead(const record::Snapshot& snapshot) {
  for (const record::Operation& operation : snapshot.operations) __builtin_prefetch(&operation);
}

void add_communicators(WaitGraph& graph, Index process, Survey& survey) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  for (const record::Communicator& record : snapshot.communicators) {
    const auto [found, is_new] = survey.communicator_of_id.try_emplace(
        record.id, static_cast<Index>(graph.communicators.size()));
    if (is_new) {
      graph.communicators.push_back({.id = record.id, .size = static_cast<Index>(record.size)});
      survey.windows.emplace_back();
    }
    WaitGraph::Communicator& communicator = graph.communicators[found->second];
    if (communicator.size != static_cast<Index>(record.size)) communicator.sizes_differ = true;
    communicator.size = std::max(communicator.size, static_cast<Index>(record.size));
    const bool left = record.state == record::CommunicatorState::closing ||
                      record.state == record::CommunicatorState::closed ||
                      record.state == record::CommunicatorState::aborted;
    graph.entries.push_back({.process = process,
                             .communicator = found->second,
                             .next_slot = record.next_slot,
                             .left = left,
                             .aborted = record.state == record::CommunicatorState::aborted});
  }
}

void add_process(WaitGraph& graph, Index process, Survey& survey) {
  WaitGraph::Process begin{
      .first_stream = static_cast<Index>(graph.streams.size()),
      .first_thread = static_cast<Index>(graph.threads.size()),
      .first_entry = static_cast<Index>(graph.entries.size()),
      .first_operation = static_cast<Index>(graph.operations.size()),
      .first_message = static_cast<Index>(graph.messages.size()),
  };
  if (process == graph.snapshots.size()) {  // the stop
    graph.processes.push_back(begin);
    return;
  }
  if (process + 1 < graph.snapshots.size()) fetch_ahead(graph.snapshots[process + 1]);
  const record::Snapshot& snapshot = graph.snapshots[process];
  begin.gone = snapshot.process != record::ProcessState::alive;
  begin.trusted = !snapshot.overrun && snapshot.damage.empty() && !snapshot.mpi_was_given_up();
  graph.processes.push_back(begin);
  add_communicators(graph, process, survey);
  for (const record::Thread& thread : snapshot.threads) {
    graph.threads.push_back({.process = process,
                             .blocked = thread.exists && thread.waits != record::Waits::nothing &&
                                        begin.trusted && !begin.gone});
  }
  if (!begin.trusted) return;
  add_streams(graph, process);
  find_awaited(graph, process);
  add_operations(graph, process, survey);
  find_parts(graph, process);
  find_orders(graph, process, survey.orders);
}

}  // namespace

Survey survey(WaitGraph& graph) {
  Survey found;
  const auto count = static_cast<Index>(graph.snapshots.size());
  for (Index process = 0; process < count; ++process) add_process(graph, process, found);
  add_process(graph, count, found);
  return found;
}

}  // namespace gridlock::detect
