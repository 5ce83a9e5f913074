// Rows for registers: clang names a new register for each value, and a function has thousands, of
// which few are alive at once.
#pragma once

#include "sim/ptx/load/flow.h"

namespace sim::ptx {

// Linear scan (Poletto, Sarkar 1999) over the drafts in their order: registers whose lives do not
// overlap share a row of their width. Liveness is that of one lane; as each lane has its own
// column, that holds for lanes that part as well. Returns the bytes of the frame.
std::uint32_t assign_rows(std::vector<Draft>& drafts, const FlowGraph& graph,
                          const std::vector<Type>& registers);

}  // namespace sim::ptx
