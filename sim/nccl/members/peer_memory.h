// The device memory of other ranks' processes, mapped here for reading.
#pragma once

#include <cstddef>

#include "sim/nccl/members/layout.h"

namespace sim::nccl {

// Where the arena of `member`'s process lies in this process. It is mapped once per process and
// stays mapped.
//   Returns  null if that process is gone
const std::byte* peer_memory(const Member& member);

}  // namespace sim::nccl
