// A slot connects all its members; the first message of two ranks connects these two.
#include "harness/detect/graph/meetings/connects.h"

#include "harness/detect/graph/meetings/pairs.h"

namespace gridlock::detect {

using record::Call;

namespace {

void connect_pair(WaitGraph& graph, const Ledger* ledger, Index thread,
                  const WaitGraph::Operation& operation) {
  const std::int32_t to = graph.source(operation).peer;
  const Index peer = graph.entry_of(graph.entries[operation.entry].communicator, to);
  // No rank connects to itself.
  if (peer == kNoIndex || peer == operation.entry) return;
  const bool sends = operation.call == Call::send;
  const std::int32_t own = graph.rank_of(operation.entry);
  const Arrival theirs = find_message(graph, ledger, peer, own, 0, !sends);
  const bool died_calling =
      theirs.kind == Arrival::in_flight &&
      died_connecting(graph, graph.operations[graph.messages[theirs.message].operation]);
  if (theirs.kind != Arrival::not_called && !died_calling) return;
  const Index message = find_message(graph, ledger, operation.entry, to, 0, sends).message;
  if (message == kNoIndex) return;
  graph.messages[message].connects_to = peer;
  graph.edge(graph.host(graph.entries[peer].process), graph.thread(thread));
  if (graph.entries[peer].left || died_calling) graph.never(graph.thread(thread));
}

}  // namespace

bool died_connecting(const WaitGraph& graph, const WaitGraph::Operation& operation) {
  const record::Operation& record = graph.source(operation);
  return graph.processes[graph.entries[operation.entry].process].gone && record.launched == 0 &&
         record.result == 0;
}

void wait_for_connections(WaitGraph& graph, const Ledger* ledger, Index thread) {
  graph.threads[thread].connects = true;
  for (const WaitGraph::Announced& announced : graph.announced) {
    if (announced.thread != thread) continue;
    graph.edge(graph.thread(thread), graph.reach(announced.unit));
    for (Index at = graph.first_operation[announced.unit]; at != kNoIndex;
         at = graph.operations[at].next) {
      const WaitGraph::Operation& operation = graph.operations[at];
      if (!graph.may_connect(operation)) continue;
      if (const Index slot = graph.slot_of(operation); slot != kNoIndex) {
        graph.edge(graph.called(slot), graph.thread(thread));
      } else if (record::is_message(operation.call)) {
        connect_pair(graph, ledger, thread, operation);
      }
    }
  }
}

}  // namespace gridlock::detect
