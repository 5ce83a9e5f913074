// Processes and what becomes possible when one of their threads acts.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// A process acts when one of its threads does; `hosts` says what its unrecorded code may do.
void need_hosts(WaitGraph& graph, Hosts hosts);

}  // namespace gridlock::detect
