// Groups overlap in a chain, and the orders in which ranks enter them close a cycle.
//
// Lesson    Ranks can wait for each other in a cycle even if no two ranks share more than one
//           group. Only one order over all groups of the job rules that out.
// Watch     In a chain of groups ({0,1}, {1,2}, {2,0}) each group has one member that has come and
//           one that has not yet. Only the graph over all groups shows the cycle.
// Cure      Number the groups, and let each rank enter its lowest one first.
// In PyTorch
//     left, right = groups[rank - 1], groups[rank]
//     for g in (left, right): dist.all_reduce(x[g], group=g)               # bug: left first
//     for g in sorted((left, right), key=groups.index):                   # cure: lowest first
//         dist.all_reduce(x[g], group=g)
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"

#include "scenarios/runtime/channel.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;

// A communicator for each pair of neighbors on a ring: rank r is in edge r - 1 and in edge r. All
// ranks create the edges in the same order, so creating them cannot deadlock.
struct Edges {
  explicit Edges(Rank& rank) {
    const int size = rank.world_size();
    const ncclComm_t world = open_communicator(rank, "world");
    for (int edge = 0; edge < size; ++edge) {
      const bool at_left = rank.rank() == edge;
      const bool at_right = rank.rank() == (edge + 1) % size;
      const int color = at_left || at_right ? 0 : NCCL_SPLIT_NOCOLOR;
      const ncclComm_t pair = split_communicator(world, color, "edge");
      if (at_left) right = open_channel(pair, rank.stream());
      if (at_right) left = open_channel(pair, rank.stream());
    }
  }
  Channel left;
  Channel right;
};

void overlapping_left_first(Rank& rank) {
  const Edges edges(rank);
  // BUG: each rank waits on its left edge for its left neighbor, all round the ring
  run_steps(rank, kSteps, edges.left, "left/all_reduce", edges.right, "right/all_reduce");
}

void overlapping_lowest_first(Rank& rank) {
  const Edges edges(rank);
  // FIX: rank 0's right edge is the lowest, its left edge the highest
  const bool right_first = rank.rank() == 0;
  if (right_first) {
    run_steps(rank, kSteps, edges.right, "right/all_reduce", edges.left, "left/all_reduce");
  } else {
    run_steps(rank, kSteps, edges.left, "left/all_reduce", edges.right, "right/all_reduce");
  }
  close_communicator((right_first ? edges.right : edges.left).communicator);  // waits too
  close_communicator((right_first ? edges.left : edges.right).communicator);
}

Expectation round_the_ring(int ranks) {
  return deadlock(Cause::cycle)
      .culprits(all_ranks(ranks))
      .waiting(all_ranks(ranks), reduction_at("left/all_reduce", in_step(0), "edge"));
}

constexpr const char* kRing = "two ranks have one edge between them, not a ring";

constexpr Variant kVariants[] = {
    {"overlapping_left_first", broken,
     "groups {0,1} {1,2} … {n-1,0}, and each rank enters its left one first",
     overlapping_left_first, round_the_ring, 3, 16, kRing},
    {"overlapping_lowest_first", fix, "these groups, and each rank enters the lowest one first",
     overlapping_lowest_first, all_well, 3, 16, kRing},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks enter a chain of overlapping groups in orders that close a cycle",
    .variants = kVariants,
};
