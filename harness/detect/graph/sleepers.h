// Threads that sleep outside recorded calls, and who can wake them. A process stirs when one of its
// threads can run, recorded or not: that is enough to wake another, though not to make a call that
// counts. The rules are those of docs/actors.md.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether a thread sleeps until somebody wakes it, as far as may be said with or without `strict`.
inline bool sleeps(const WaitGraph& graph, const record::Sleep& sleep) {
  return sleep.asleep && !(graph.parameters.strict && sleep.may_be_brief);
}

// Gives every process that somebody has looked at, and all of a host together, a node.
void find_stirrers(WaitGraph& graph, Hosts hosts);

// `node`, a thread that sleeps, needs one of `wakers` to stir. Of a process that nobody looked at
// nothing is known: it can. REQUIRES: the node's need is 1.
void need_one_of(WaitGraph& graph, const std::vector<record::ProcessKey>& wakers, NodeId node);

// Has processes stir, and hosts act, as their threads, devices and signals let them. REQUIRES: the
// hosts' own needs are set.
void need_stirrers(WaitGraph& graph, Hosts hosts);

// Whether one of the threads of which a box tells is still there. A process that has none left has
// other code to run.
bool is_driven(const record::Snapshot& snapshot);

}  // namespace gridlock::detect
