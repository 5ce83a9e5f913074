// Makes an answer global, so that all ranks branch alike.
#pragma once

#include "scenarios/runtime/label.h"
#include "scenarios/training/ddp/process_group.h"

namespace gridlock {

// Whether `mine` is true on any rank. Costs one all-reduce and one read of the result.
//   Collective, Blocks  until all ranks have called it
inline bool any_rank(ProcessGroup& group, bool mine, const char* label = "agreement/any") {
  const Label here(label);
  return group.reduce_on_host(mine ? 1 : 0, ncclMax) != 0;
}

// Whether `mine` is true on all ranks.
//   Collective, Blocks  until all ranks have called it
inline bool all_of_ranks(ProcessGroup& group, bool mine, const char* label = "agreement/all") {
  const Label here(label);
  return group.reduce_on_host(mine ? 1 : 0, ncclMin) != 0;
}

}  // namespace gridlock
