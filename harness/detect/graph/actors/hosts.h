// Processes and what becomes possible when one of their threads acts.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Has each process need one of its threads; `hosts` says what unrecorded code may do.
void need_hosts(WaitGraph& graph, Hosts hosts);

}  // namespace gridlock::detect
