// Data that a process took with it when it ended. Over a network, NCCL's kernel leaves what it
// sends to the host, which sends it later (src/proxy.cc of NCCL 2.28.9). So a collective that is
// complete on a rank may never complete on the others, if the rank ends without closing its
// communicator.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether the process of `entry` has ended behind its call at `slot`, which was complete, with the
// communicator open. Not on our own NCCL, which sends nothing from the host.
bool may_be_unsent(const WaitGraph& graph, Index entry, Index slot);

// Lets no slot arrive at which that is so. REQUIRES: the slots' own needs are set.
void lose_unsent(WaitGraph& graph);

// Lets no collective complete, as if what it sends were lost on the way.
void lose_all(WaitGraph& graph);

}  // namespace gridlock::detect
