// Threads that sleep outside recorded calls, and who can wake them. A process stirs when one of its
// threads can run, recorded or not. It can then wake another process, but need not make a call that
// counts. docs/actors.md has the rules.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether a thread sleeps until another wakes it. Under `strict`, no sleep counts that may be
// brief, that somebody outside the job may end, or that has a time limit.
inline bool sleeps(const WaitGraph& graph, const record::Sleep& sleep) {
  const bool assumes = sleep.may_be_brief || sleep.for_signal || sleep.has_name || sleep.listens ||
                       sleep.has_far_limit;
  return sleep.asleep && !(graph.parameters.strict && assumes);
}

// Whether only threads of the process that sleep by the clock could wake one of its recorded
// threads that is idle, while another of these waits in a recorded call. Only a proof's assumption
// rules that out.
bool may_be_woken_by_the_clock(const WaitGraph& graph, Index process);

// Gives two nodes to every process that was looked at in the kernel, and to all processes of a
// host.
void find_stirrers(WaitGraph& graph, Hosts hosts);

// `node`, a thread of `process` that sleeps, needs one of its wakers to stir. A process that was
// not looked at counts as able to. REQUIRES: the node's need is 1.
void need_waker(WaitGraph& graph, const record::Sleep& sleep, record::ProcessKey process,
                NodeId node);

// Lets processes stir and hosts act according to their threads, devices and signals. REQUIRES: the
// hosts' own needs are set.
void need_stirrers(WaitGraph& graph, Hosts hosts);

// Whether the rank handles a signal that usually comes from outside, and a rank of its host, or a
// process that one has started, can send it. Only a proof's assumption rules that out.
bool ranks_may_signal(const WaitGraph& graph, const record::Snapshot& snapshot);
// Whether the launcher of a rank that is gone, or what that launcher has left behind, may still end
// the others and restart all.
bool launcher_may_restart(const WaitGraph& graph, const record::Snapshot& snapshot);
// Whether a launcher that stirs may ask it to end by a signal that it handles.
bool launchers_may_ask_to_end(const WaitGraph& graph, const record::Snapshot& snapshot);

// Whether a launcher that stirs may kill a process whose end would wake the rank.
bool launchers_may_kill_a_waker(const WaitGraph& graph, const record::Snapshot& snapshot);

// Whether progress of the device may run code of the program: it ends a wait inside an unrecorded
// CUDA call, or comes to a host function.
bool device_may_run_code(const WaitGraph& graph, Index process);

// Whether any thread in the box still exists. A process without one runs unrecorded code only.
bool is_driven(const record::Snapshot& snapshot);

}  // namespace gridlock::detect
