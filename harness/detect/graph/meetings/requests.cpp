// A request is a stream of its own.
#include "harness/detect/graph/meetings/requests.h"

#include <algorithm>

namespace gridlock::detect {

using record::Waits;

void find_awaited(WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& of = graph.processes[process];
  if (of.gone) return;
  const auto await = [&](std::uint32_t stream, std::int64_t since_ns) {
    if (stream >= snapshot.streams.size()) return;
    std::int64_t& awaited_ns = graph.streams[of.first_stream + stream].awaited_ns;
    awaited_ns = std::max(awaited_ns, since_ns);
  };
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists) continue;
    if (thread.waits == Waits::stream) await(thread.stream, thread.since_ns);
    for (const std::uint32_t stream : thread.requests) await(stream, thread.since_ns);
  }
}

void wait_for_requests(WaitGraph& graph, Index thread) {
  const record::Thread& record = graph.record_of_thread(thread);
  const WaitGraph::Process& of = graph.processes[graph.threads[thread].process];
  std::vector<Index> units;
  for (const std::uint32_t stream : record.requests) {
    const WaitGraph::Stream& request = graph.streams[of.first_stream + stream];
    if (request.units > 0) units.push_back(request.first_unit + request.units - 1);
  }
  const bool any = record.waits == Waits::any_request;
  // One of them is over, or none is known.
  if (units.empty() || (any && units.size() < record.requests.size())) return;
  for (const Index unit : units) graph.edges.add(graph.pass(unit), graph.thread(thread));
  graph.need[graph.thread(thread)] += any ? 1 : static_cast<Index>(units.size());
}

}  // namespace gridlock::detect
