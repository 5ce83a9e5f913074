// Communicators made from others.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <vector>

#include "sim/nccl/communicator.h"

namespace sim::nccl {

// Tells the other ranks of `parent` this rank's colour and key.
//   Returns  the number of this split on the parent
std::uint64_t begin_split(Communicator& parent, int color, int key);

// Waits for all ranks of the parent and joins those of the same colour. `child` is null without a
// colour.
//   Collective over the parent, Blocks
ncclResult_t finish_split(Communicator& parent, std::uint64_t number, Communicator* child);

// Joins the ranks of `parent` that are not in `excluded` (sorted).
//   Collective over those that remain, Blocks
ncclResult_t shrink(Communicator& parent, const std::vector<int>& excluded, Communicator& child);

}  // namespace sim::nccl
