// Assigns rows to registers. clang names a new register for each value, so a function has
// thousands, but few are alive at once.
#pragma once

#include "sim/ptx/load/flow.h"

namespace sim::ptx {

// Linear scan (Poletto, Sarkar 1999) over the drafts in their order: registers whose lifetimes do
// not overlap share a row of their width. Liveness is computed for one lane. Each lane has its own
// column, so it also holds for lanes that diverge. Returns the bytes of the frame.
std::uint32_t assign_rows(std::vector<Draft>& drafts, const FlowGraph& graph,
                          const std::vector<Type>& registers);

}  // namespace sim::ptx
