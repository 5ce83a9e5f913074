// An announced unit: nothing on its stream waits for it.
#include "harness/detect/graph/meetings/announced.h"

#include "harness/detect/graph/units.h"

namespace gridlock::detect {

using record::Waits;

bool will_be_launched(const record::Snapshot& snapshot, const record::Operation& record) {
  if (record.launched != 0 || record.result != 0) return false;
  if (record.deferred) return true;
  if (record.thread >= snapshot.threads.size()) return false;
  const record::Thread& thread = snapshot.threads[record.thread];
  if (record::is_communication(record.call)) return thread.waits == Waits::operation;
  // An ordering operation that holds back the thread's copy.
  return thread.call == record::Call::memcpy_sync && thread.stream == record.stream;
}

Index announced_unit(WaitGraph& graph, Index process, const record::Operation& record) {
  const WaitGraph::Process& of = graph.processes[process];
  const Index stream = of.first_stream + record.stream;
  const Index thread = record.deferred ? kNoIndex : of.first_thread + record.thread;
  const Index entry = record.deferred ? of.first_entry + record.communicator : kNoIndex;
  for (auto at = graph.announced.rbegin(); at != graph.announced.rend(); ++at) {
    if (graph.streams[at->stream].process != process) break;
    if (at->stream == stream && at->thread == thread && at->entry == entry) return at->unit;
  }
  const auto unit = static_cast<Index>(graph.first_operation.size());
  graph.first_operation.resize(unit + 2, kNoIndex);
  graph.announced.push_back(
      {.stream = stream, .unit = unit, .thread = thread, .entry = entry, .called = record.called});
  return unit;
}

namespace {

// The process died in the call: it launches nothing, and nobody will be connected to it.
void die_inside(WaitGraph& graph, Index unit) {
  graph.never(graph.reach(unit));
  for (Index at = graph.first_operation[unit]; at != kNoIndex; at = graph.operations[at].next) {
    const Index slot = graph.slot_of(graph.operations[at]);
    if (slot != kNoIndex) graph.never(graph.called(slot));
  }
}

}  // namespace

void need_announced(WaitGraph& graph) {
  for (const WaitGraph::Announced& announced : graph.announced) {
    const Index process = graph.streams[announced.stream].process;
    graph.need[graph.reach(announced.unit)] = 0;
    graph.need[graph.pass(announced.unit)] = 1;
    if (graph.processes[process].gone) die_inside(graph, announced.unit);
    graph.never(graph.reach(announced.unit + 1));
    graph.never(graph.pass(announced.unit + 1));
    graph.wait_for(unit_launched_by(graph, announced.stream, announced.called),
                   graph.reach(announced.unit));
  }
}

void wait_for_own_order(WaitGraph& graph, Index thread) {
  if (graph.record_of_thread(thread).call != record::Call::memcpy_sync) return;
  for (const WaitGraph::Announced& announced : graph.announced) {
    if (announced.thread == thread) graph.edge(graph.pass(announced.unit), graph.thread(thread));
  }
}

void unorder_overlapping(WaitGraph& graph, Index stream) {
  WaitGraph::Stream& of = graph.streams[stream];
  if (graph.processes[of.process].gone) return;
  of.unordered = true;
  Index first_overlapped = 0;  // the first unit that overlaps the one just before
  for (Index at = 1; at < of.units; ++at) {
    const Index unit = of.first_unit + at;
    const record::Operation* operation = operation_of(graph, of.process, unit);
    if (operation == nullptr || graph.need[graph.reach(unit)] == 0) {
      first_overlapped = at;
      continue;
    }
    const Index before = unit_launched_by(graph, stream, operation->called);
    if (before == kNoIndex || before + 1 < unit) {
      graph.need[graph.reach(unit)] = 0;
      graph.wait_for(before, graph.reach(unit));
      continue;
    }
    for (Index held = first_overlapped; held + 1 < at; ++held) {
      graph.edge(graph.pass(of.first_unit + held), graph.reach(unit));
    }
    first_overlapped = at;
  }
}

}  // namespace gridlock::detect
