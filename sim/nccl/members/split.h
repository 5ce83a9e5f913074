// Communicators made from others.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <vector>

#include "sim/nccl/members/communicator.h"

namespace sim::nccl {

// What one rank asks of a split.
struct SplitWish {
  std::uint64_t number = 0;  // of the split on the parent
  int color = 0;
  int key = 0;
};

// The number of the next split of `parent`.
std::uint64_t take_split_number(Communicator& parent);

// Waits for all ranks of the parent and joins those of the same color. `child` is null without a
// color.
//   Collective over the parent, Blocks
ncclResult_t split(Communicator& parent, const SplitWish& wish, Communicator* child);

// Joins the ranks of `parent` that are not in `excluded` (sorted).
//   Collective over those that remain, Blocks
ncclResult_t shrink(Communicator& parent, const std::vector<int>& excluded, Communicator& child);

}  // namespace sim::nccl
