// Ranks of a grid enter their tensor-parallel and data-parallel groups in different orders.
//
// Lesson    Each rank of a grid is in one row and one column. Every row crosses every column, so
//           all ranks must enter the two groups in one order.
// Watch     If whole rows differ in their order, nothing hangs: a row that starts with its row
//           group completes it alone and then enters the columns. If the ranks within a row differ,
//           they hang: one waits in the row, another in its column. A later change of the layout
//           can turn the first case into the second.
// Cure      Use one order on all ranks: the tensor group first, or the data group first.
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

// A grid of two columns: a row shares a tensor, a column shares a batch. With an odd number of
// ranks, the last one is left out.
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
    run_steps(rank, kSteps, in_column, "data/all_reduce", in_row, "tensor/all_reduce");
  } else {
    run_steps(rank, kSteps, in_row, "tensor/all_reduce", in_column, "data/all_reduce");
  }
  for (const ncclComm_t one : {tensor, data, world}) close_communicator(one);  // closing waits too
}

// Both ranks of an odd row use one order, so each row completes by itself and then enters the
// columns.
void grid_rows_crossed(Rank& rank) { grid(rank, DataFirst::in_odd_rows); }

// BUG: in each row one rank waits in the row and the other in its column
void grid_half_crossed(Rank& rank) { grid(rank, DataFirst::on_a_chessboard); }

void grid_same_order(Rank& rank) { grid(rank, DataFirst::nowhere); }

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

constexpr const char* kGrid = "a grid has two rows";

constexpr Variant kVariants[] = {
    {"grid_rows_crossed", control,
     "tensor and data groups of a grid, crossed on whole rows: it completes", grid_rows_crossed,
     all_well, 4, 16, kGrid},
    {"grid_half_crossed", broken, "tensor and data groups of a grid, crossed on half of each row",
     grid_half_crossed, round_the_grid, 4, 16, kGrid},
    {"grid_same_order", fix, "tensor group first on all ranks of the grid", grid_same_order,
     all_well, 4, 16, kGrid},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks of a grid enter their tensor and data groups in different orders",
    .variants = kVariants,
};
