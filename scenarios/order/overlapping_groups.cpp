// Groups overlap, and the ranks' orders of entering them close a circle.
//
// Lesson    Ranks that share no two groups can still wait for each other all round. One order over
//           all groups of the job rules that out, and no smaller rule does.
// Watch     In a chain of groups ({0,1}, {1,2}, {2,0}) each group sees one member come and the
//           other not yet. Only the graph over all groups has the circle. In a grid of tensor and
//           data groups, crossing whole rows is harmless, and crossing half of each row is not.
// Cure      Number the groups, and let each rank enter its lowest one first.
// In PyTorch
//     for g in (data, tensor) if (row + column) % 2 else (tensor, data):    # bug: half of each row
//         dist.all_reduce(x[g], group=g)
//     for g in (tensor, data): dist.all_reduce(x[g], group=g)               # cure: one order
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"; pytorch#48256 asks the
//           same of process groups

#include "scenarios/runtime/channel.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;

// Enters two channels of this rank in the given order.
void run_steps(Rank& rank, const Channel& a, const char* label_a, const Channel& b,
               const char* label_b) {
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    all_reduce(a, label_a, static_cast<float>(step));
    all_reduce(b, label_b, static_cast<float>(step));
    int members_a = 0;
    int members_b = 0;
    check(ncclCommCount(a.communicator, &members_a));
    check(ncclCommCount(b.communicator, &members_b));
    const bool right = read(rank, a) == static_cast<float>(members_a * step) &&
                       read(rank, b) == static_cast<float>(members_b * step);
    rank.report().numbers(right, "sums of small integers, exact");
    rank.report().step_done();
  }
}

// A communicator for each pair of neighbours on a ring: rank r is in edge r - 1 and in edge r. All
// ranks make the edges one after the other, so that their making has no order to get wrong.
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
  // BUG: each rank waits on its left edge for the next rank, all round the ring
  run_steps(rank, edges.left, "left/all_reduce", edges.right, "right/all_reduce");
}

void overlapping_lowest_first(Rank& rank) {
  const Edges edges(rank);
  if (rank.rank() == 0) {  // FIX: rank 0's right edge is the lowest, its left edge the highest
    run_steps(rank, edges.right, "right/all_reduce", edges.left, "left/all_reduce");
  } else {
    run_steps(rank, edges.left, "left/all_reduce", edges.right, "right/all_reduce");
  }
}

// A grid of two columns: a row shares a tensor, a column shares a batch. An odd number leaves the
// last rank out.
enum class DataFirst { nowhere, in_odd_rows, on_a_chessboard };

void grid(Rank& rank, DataFirst where) {
  const int row = rank.rank() / 2;
  const int column = rank.rank() % 2;
  const bool out = rank.rank() >= rank.world_size() / 2 * 2;
  const ncclComm_t world = open_communicator(rank, "world");
  const ncclComm_t tensor = split_communicator(world, out ? NCCL_SPLIT_NOCOLOR : row, "tensor");
  const ncclComm_t data = split_communicator(world, out ? NCCL_SPLIT_NOCOLOR : column, "data");
  if (out) return close_communicator(world);  // waits for the others
  const Channel in_row = open_channel(tensor, rank.stream());
  const Channel in_column = open_channel(data, rank.stream());
  const bool swap = (where == DataFirst::in_odd_rows && row % 2 == 1) ||
                    (where == DataFirst::on_a_chessboard && (row + column) % 2 == 1);
  if (swap) {
    run_steps(rank, in_column, "data/all_reduce", in_row, "tensor/all_reduce");
  } else {
    run_steps(rank, in_row, "tensor/all_reduce", in_column, "data/all_reduce");
  }
  for (const ncclComm_t one : {tensor, data, world}) close_communicator(one);  // closing waits too
}

// Both ranks of an odd row agree, so each row completes for itself and then comes to the columns.
void grid_rows_crossed(Rank& rank) { grid(rank, DataFirst::in_odd_rows); }

// BUG: in each row one rank waits in the row and the other in its column
void grid_half_crossed(Rank& rank) { grid(rank, DataFirst::on_a_chessboard); }

void grid_same_order(Rank& rank) { grid(rank, DataFirst::nowhere); }

Expectation round_the_ring(int ranks) {
  return deadlock(Cause::cycle)
      .culprits(all_ranks(ranks))
      .waiting(all_ranks(ranks), reduction_at("left/all_reduce", in_step(0), "edge"));
}

Expectation round_the_grid(int ranks) {
  const int inside = ranks / 2 * 2;
  const auto chessboard = [](int colour) {
    return [colour](int rank) { return (rank / 2 + rank % 2) % 2 == colour; };
  };
  return deadlock(Cause::cycle)
      .culprits(all_ranks(inside))
      .waiting(ranks_where(inside, chessboard(0)),
               reduction_at("tensor/all_reduce", in_step(0), "tensor"))
      .waiting(ranks_where(inside, chessboard(1)),
               reduction_at("data/all_reduce", in_step(0), "data"));
}

constexpr const char* kRing = "two ranks have one edge between them, not a ring";
constexpr const char* kGrid = "a grid has two rows";

constexpr Variant kVariants[] = {
    {"overlapping_left_first", broken,
     "groups {0,1} {1,2} … {n-1,0}, and each rank enters its left one first",
     overlapping_left_first, round_the_ring, 3, 16, kRing},
    {"overlapping_lowest_first", fix, "these groups, and each rank enters the lowest one first",
     overlapping_lowest_first, all_well, 3, 16, kRing},
    {"grid_rows_crossed", control,
     "tensor and data groups of a grid, crossed on whole rows: it completes", grid_rows_crossed,
     all_well, 4, 16, kGrid},
    {"grid_half_crossed", broken, "tensor and data groups of a grid, crossed on half of each row",
     grid_half_crossed, round_the_grid, 4, 16, kGrid},
    Variant{"grid_same_order", fix, "tensor group first on all ranks of the grid", grid_same_order,
            all_well, 4, 16, kGrid}
        .against("grid_rows_crossed"),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks enter overlapping groups in an order that closes a circle",
    .variants = kVariants,
};
