// What threads, ranks and launchers might still do, and what only a proof's assumption rules out.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether only threads of the process that sleep by the clock could wake one of its recorded
// threads that is idle, while another of these waits in a recorded call. Only a proof's assumption
// rules that out.
bool may_be_woken_by_the_clock(const WaitGraph& graph, Index process);

// Whether a thread of the rank waits for a launcher, one of whose threads sleeps by the clock and
// could wake it. Only a proof's assumption rules that out.
bool waits_for_a_launcher_that_naps(const WaitGraph& graph, const record::Snapshot& snapshot);

// Whether a process beside the ranks, or one that a rank has started, could wake such a rank,
// because one of its threads sleeps by the clock. Only a proof's assumption rules that out.
bool helpers_may_work(const WaitGraph& graph);

// Whether a signal from outside the job may wake a process beside the ranks. Only a proof's
// assumption rules that out, if a rank waits for others.
bool one_beside_the_ranks_hears(const WaitGraph& graph);
// Whether a thread of the rank waits for another process, or at something that has a name.
bool waits_for_others(const record::Snapshot& snapshot);

// Whether one of its threads that are in no box sleeps by the clock, while another one waits in a
// recorded call.
bool naps(const WaitGraph& graph, Index process);

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

}  // namespace gridlock::detect
