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

// Lets processes stir and hosts act according to their threads, devices and signals. REQUIRES: the
// hosts' own needs are set.
void need_stirrers(WaitGraph& graph, Hosts hosts);

// Whether progress of the device may run code of the program: it ends a wait inside an unrecorded
// CUDA call, or comes to a host function.
bool device_may_run_code(const WaitGraph& graph, Index process);

// Whether any thread in the box still exists. A process without one runs unrecorded code only.
bool is_driven(const record::Snapshot& snapshot);

}  // namespace gridlock::detect
