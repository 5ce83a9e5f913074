// Who can still act, so that a hang is not proven.
#pragma once

#include <optional>

#include "harness/detect/graph/wait_graph.h"
#include "harness/detect/verdict/phrases.h"

namespace gridlock::detect {

// The threads and processes that can act without anybody's help, as far as they can end a rank's
// wait; {}: there are none, or nobody has looked at the threads.
//   REQUIRES  the graph was built for a proof (Hosts::may_act)
std::optional<phrase::MayAct> who_may_act(const WaitGraph& graph);

}  // namespace gridlock::detect
