// Each kind of wait has its own rule.
#include "harness/detect/graph/actors/threads.h"

#include <algorithm>

#include "harness/detect/graph/actors/askers.h"
#include "harness/detect/graph/actors/sleepers.h"
#include "harness/detect/graph/actors/wakers.h"
#include "harness/detect/graph/may_wait.h"
#include "harness/detect/graph/meetings/announced.h"
#include "harness/detect/graph/meetings/connects.h"
#include "harness/detect/graph/meetings/gatherings.h"
#include "harness/detect/graph/meetings/requests.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {

using record::Call;
using record::Waits;

namespace {

// Whether the thread's call may or may not wait, and has not lasted long enough to count as
// waiting.
bool may_only(const WaitGraph& graph, const record::Snapshot& snapshot, Index thread) {
  const record::Thread& record = graph.record_of_thread(thread);
  // The simulation's abort is local, but for graphs. NCCL's abort and destroy may wait for ranks of
  // the node that use this rank's proxy, and nothing outside NCCL shows whether any does.
  const bool own_nccl = snapshot.own_nccl();
  if (record.call == Call::comm_abort && own_nccl) return !is_held_by_graphs(graph, thread);
  if (leaves_it_to_others(graph, thread)) return true;
  // The simulated CUDA says where it waits, the real NCCL on it does not.
  const bool of_nccl =
      ends_communicator(awaited_call(snapshot, record)) || record.waits == Waits::operation;
  // Without `strict`, assume that a launch which lasts waits for the device: it may still compile.
  // In a stall it has lasted for so long that it waits.
  const bool is_proof = graph.hosts == Hosts::may_act;
  if (record.is_launching() && graph.parameters.strict && is_proof) return true;
  const bool may = record.is_launching() || (only_may_wait(snapshot, record) && !own_nccl &&
                                             (of_nccl || snapshot.backend == "cuda"));
  const bool mpi_may = record.call == Call::mpi_init || record.call == Call::mpi_finalize;
  return (may || mpi_may) &&
         graph.parameters.now_ns - record.since_ns < graph.parameters.may_wait_ns;
}

void wait_for_device(WaitGraph& graph, Index thread, bool legacy_only) {
  const Index process = graph.threads[thread].process;
  const record::Thread& record = graph.record_of_thread(thread);
  const auto& streams = graph.snapshots[process].streams;
  for (Index stream = 0; stream < streams.size(); ++stream) {
    if (streams[stream].device != record.device) continue;
    if (legacy_only && streams[stream].non_blocking) continue;
    // What other threads enqueue after the call is not waited for.
    const Index unit =
        unit_launched_by(graph, graph.processes[process].first_stream + stream, record.launches);
    graph.wait_for(unit, graph.thread(thread));
  }
}

// In a stall, NCCL has long launched what it launches by itself: nobody has asked whether it has.
void wait_for_deferred(WaitGraph& graph, Index thread) {
  const Index process = graph.threads[thread].process;
  const record::Thread& record = graph.record_of_thread(thread);
  const Index first = graph.processes[process].first_stream;
  for (const WaitGraph::Announced& announced : graph.announced) {
    if (announced.thread != kNoIndex || graph.streams[announced.stream].process != process)
      continue;
    const Index stream = announced.stream - first;
    const bool is_awaited = record.waits == Waits::stream
                                ? stream == record.stream
                                : graph.snapshots[process].streams[stream].device == record.device;
    if (is_awaited && announced.called <= record.launches) {
      graph.edge(graph.pass(announced.unit), graph.thread(thread));
    }
  }
}

bool is_polled(const record::Snapshot& snapshot, const record::Thread& thread) {
  return std::ranges::any_of(snapshot.streams, [&](const record::Stream& stream) {
    return stream.polled && stream.device == thread.device;
  });
}

}  // namespace

bool waits_for_device(const record::Thread& thread) {
  return thread.waits == Waits::device || thread.waits == Waits::legacy_stream ||
         thread.waits == Waits::stream;
}

void need_threads(WaitGraph& graph, const Ledger* ledger, Hosts hosts, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& of = graph.processes[process];
  // Without `strict`, assume that a launcher that naps only sleeps again.
  const Wakes wakes = graph.parameters.strict ? Wakes::who_stirs : Wakes::but_napping_launchers;
  for (Index index = 0; index < snapshot.threads.size(); ++index) {
    const record::Thread& record = snapshot.threads[index];
    const Index thread = of.first_thread + index;
    WaitGraph::ThreadNode& node = graph.threads[thread];
    if (!record.exists || of.gone || !of.trusted) {
      graph.never(graph.thread(thread));
      continue;
    }
    if (!node.blocked || snapshot.goes_on() || may_only(graph, snapshot, thread)) {
      node.blocked = false;
      if (hosts == Hosts::frozen) {
        graph.never(graph.thread(thread));
      } else if (sleeps(graph, record.sleep)) {
        graph.need[graph.thread(thread)] = 1;
        need_waker(graph, record.sleep, snapshot.key, graph.thread(thread), wakes);
      }
      continue;
    }
    wait_for_own_order(graph, thread);
    // A launch that sleeps may also wait for another thread than the device.
    if (hosts == Hosts::may_act && record.in_launch.asleep) {
      need_waker(graph, record.in_launch, snapshot.key, graph.host(process), wakes);
    }
    switch (record.waits) {
      case Waits::nothing:
        break;
      case Waits::device:
        wait_for_device(graph, thread, false);
        break;
      case Waits::legacy_stream:
        wait_for_device(graph, thread, true);
        break;
      case Waits::stream:
        if (record.stream < snapshot.streams.size()) {
          graph.wait_for(unit_up_to(graph, of.first_stream + record.stream, record.position),
                         graph.thread(thread));
        }
        break;
      case Waits::communicator_members:
        wait_for_gathering(graph, thread);
        break;
      case Waits::operation:
        wait_for_connections(graph, ledger, thread);
        break;
      case Waits::all_requests:
      case Waits::any_request:
        wait_for_requests(graph, thread);
        break;
    }
    if (hosts == Hosts::frozen &&
        (record.waits == Waits::stream || record.waits == Waits::device)) {
      wait_for_deferred(graph, thread);
    }
    // The answer was no. Only an explanation makes a wait of that (with_askers).
    if (hosts == Hosts::frozen && asks(record)) graph.never(graph.thread(thread));
    // All recorded work is past, so the call waits for other work on the device.
    const bool only_work = graph.need[graph.thread(thread)] == 0 && waits_for_device(record);
    if (only_work && hosts == Hosts::frozen && !is_polled(snapshot, record)) {
      graph.never(graph.thread(thread));
    }
  }
}

}  // namespace gridlock::detect
