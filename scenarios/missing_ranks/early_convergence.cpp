// A solver exchanges halos and reduces a residual. One rank decides alone that it has converged.
//
// Lesson    Convergence is a property of the whole problem. A loop whose calls need all ranks, or
//           all neighbors, must stop on a number that is equal on all ranks, not on one rank's
//           part.
// Watch     The missing rank is the one whose part was easy. Only its neighbor waits for its halo.
//           The others get one call further and wait in the all-reduce. So the ranks wait in
//           different calls at different lines, and the culprit is in none of them.
// Cure      Branch on the reduced residual. That costs nothing, because the loop reduces it for the
//           log anyway.
// In PyTorch
//     if residual.item() < tolerance: break                    # bug: this rank's part of the grid
//     dist.all_reduce(residual, op=dist.ReduceOp.MAX)          # cure: equal on all ranks
//     if residual.item() < tolerance: break
// Seen in   quinoacomputing/quinoa#613 (one mesh has converged), Nek5000/parRSB#44 (a `break`)

#include "scenarios/scenario.h"
#include "scenarios/training/runs/strip.h"

using namespace gridlock;

namespace {

constexpr float kConverged = 5e-3F;
constexpr int kMost = 400;  // iterations
constexpr int kFixed = 40;  // iterations of the control

void fixed_iterations(Rank& rank) {
  Strip strip(rank);
  for (int iteration = 0; iteration < kFixed; ++iteration) {
    strip.exchange_halo();
    strip.reduce_residual(strip.update());
  }
  strip.verify(kFixed);
}

void leaves_before_all_reduce(Rank& rank) {
  Strip strip(rank);
  for (int iteration = 0; iteration < kMost; ++iteration) {
    strip.exchange_halo();
    const float mine = strip.update();
    if (mine < kConverged) break;  // BUG: this strip has converged, the rod has not
    strip.reduce_residual(mine);
  }
}

void leaves_behind_all_reduce(Rank& rank) {
  Strip strip(rank);
  for (int iteration = 0; iteration < kMost; ++iteration) {
    strip.exchange_halo();
    const float mine = strip.update();
    strip.reduce_residual(mine);   // for the log
    if (mine < kConverged) break;  // BUG: the next exchange lacks this neighbor
  }
}

void global_residual(Rank& rank) {
  Strip strip(rank);
  int iteration = 0;
  float all = 1;
  while (iteration < kMost && all >= kConverged) {  // FIX: a number that is equal on all ranks
    strip.exchange_halo();
    all = strip.reduce_residual(strip.update());
    ++iteration;
  }
  strip.verify(iteration);
}

Expectation others_wait_in_the_first(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, residual_in(0));
}

// The neighbor waits for a halo. The ranks behind it have theirs, and wait for the neighbor. Over
// sockets, NCCL may drop the neighbor's own message once its connection to the last rank has
// failed, so that the next rank waits for a halo too.
Expectation neighbour_waits_for_halo(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).culprits({ranks - 1});
  whole.loosely_on_real_nccl().waiting({ranks - 2}, halo_exchange());
  return ranks == 2 ? whole : whole.waiting(all_ranks(ranks - 2), residual_in(1));
}

constexpr Variant kVariants[] = {
    {"fixed_iterations", control, "the same loop for a fixed number of iterations",
     fixed_iterations},
    {"leaves_before_all_reduce", broken,
     "the last rank, whose strip is cold, leaves before the residual is reduced",
     leaves_before_all_reduce, others_wait_in_the_first},
    {"leaves_behind_all_reduce", broken,
     "it leaves after that call: one neighbour waits for a halo, the others for that neighbour",
     leaves_behind_all_reduce, neighbour_waits_for_halo},
    {"global_residual", fix, "all ranks branch on the reduced residual", global_residual},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank of an iterative solver decides alone that it has converged",
    .variants = kVariants,
};
