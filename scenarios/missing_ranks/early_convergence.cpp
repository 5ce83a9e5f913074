// A halo exchange with a residual, and one rank decides alone that it has converged.
//
// Lesson    Converged is a property of the whole. Where a loop makes calls that all ranks or all
//           neighbours have to make, its end must be decided on a number that is equal everywhere,
//           not on this rank's part of it.
// Watch     The rank that is missing is the one whose part was easy. Only its neighbour waits for
//           its halo; the others get one step further, to the all-reduce, and wait there: ranks
//           stand in different lines and in different calls, and the one to blame is in none.
// Cure      Branch on the reduced residual. It is there anyway: somebody has it reduced for the
//           log.
// In PyTorch
//     if residual.item() < tolerance: break                    # bug: this rank's part of the grid
//     dist.all_reduce(residual, op=dist.ReduceOp.MAX)          # cure: equal on all ranks
//     if residual.item() < tolerance: break
// Seen in   quinoacomputing/quinoa#613 (one mesh has converged), Nek5000/parRSB#44 (a `break`)

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gradients.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/process_group.h"

using namespace gridlock;

namespace {

constexpr int kCells = 16;  // of a rank, between two halo cells
constexpr float kFlow = 0.25F;
constexpr float kConverged = 5e-3F;
constexpr int kMost = 400;  // iterations
constexpr int kFixed = 40;  // iterations of the control

// Heat in the middle of every rank's strip, but for the last one's, which is cold.
float initial(int ranks, int rank, int cell) {
  const bool warm = rank < ranks - 1 && cell >= kCells / 4 && cell < 3 * kCells / 4;
  return warm ? 1.0F : 0.0F;
}

// A strip of a rod: heat flows between cells, and over the strips' ends to the neighbours.
class Strip {
 public:
  explicit Strip(Rank& rank)
      : rank_(rank),
        communicator_(open_communicator(rank, "world")),
        old_(kCells + 2, rank.stream()),
        new_(kCells + 2, rank.stream()),
        change_(kCells, rank.stream()),
        residual_(1, rank.stream()),
        host_(kCells) {
    for (int cell = 0; cell < kCells; ++cell) {
      host_[static_cast<std::size_t>(cell)] = initial(rank.world_size(), rank.rank(), cell);
    }
    check(cudaMemcpyAsync(new_.data() + 1, host_.data(), kCells * sizeof(float),
                          cudaMemcpyHostToDevice, rank.stream()));
    rank.wait_for(rank.stream());
    rank.report().begin_steps();
  }

  // The neighbours' edge cells into this strip's halo cells, and back.
  [[gnu::noinline]] void exchange_halo() {
    const Label label("halo/exchange");
    float* cells = new_.data();
    check(ncclGroupStart());
    if (rank_.rank() > 0) trade(cells + 1, cells, rank_.rank() - 1);
    if (!rank_.is_last()) trade(cells + kCells, cells + kCells + 1, rank_.rank() + 1);
    check(ncclGroupEnd());
  }

  // One step in time.
  //   Returns  the largest change of a cell of this strip
  //   Blocks   until the halo is there
  float update() {
    const cudaStream_t stream = rank_.stream();
    std::swap(old_, new_);
    const float* old = old_.data();
    copy(new_.data() + 1, old + 1, cudaMemcpyDeviceToDevice);
    for (const auto& [shift, flow] : {std::pair{0, kFlow}, {2, kFlow}, {1, -2 * kFlow}}) {
      check(
          kernels::launch_gradient_accumulate(old + shift, kCells, flow, new_.data() + 1, stream));
    }
    copy(change_.data(), new_.data() + 1, cudaMemcpyDeviceToDevice);
    check(kernels::launch_gradient_accumulate(old + 1, kCells, -1, change_.data(), stream));
    copy(host_.data(), change_.data(), cudaMemcpyDeviceToHost);
    rank_.wait_for(stream);
    float largest = 0;
    for (std::size_t cell = 0; cell < kCells; ++cell)
      largest = std::max(largest, std::abs(host_[cell]));
    return largest;
  }

  //   Collective, Blocks  until all ranks have called it
  [[gnu::noinline]] float reduce_residual(float mine) {
    const Label label("residual/all_reduce");
    const cudaStream_t stream = rank_.stream();
    check(kernels::launch_fill(residual_.data(), 1, mine, stream));
    check(ncclAllReduce(residual_.data(), residual_.data(), 1, ncclFloat32, ncclMax, communicator_,
                        stream));
    check(cudaMemcpyAsync(host_.data(), residual_.data(), sizeof(float), cudaMemcpyDeviceToHost,
                          stream));
    rank_.wait_for(stream);
    rank_.report().step_done();
    return host_[0];
  }

  // Compares with the whole rod on the host, in double precision, after as many steps.
  void verify(int iterations) {
    const int ranks = rank_.world_size();
    const auto size = static_cast<std::size_t>(ranks) * kCells;
    std::vector<double> rod(size + 2, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      rod[i + 1] = static_cast<double>(
          initial(ranks, static_cast<int>(i) / kCells, static_cast<int>(i) % kCells));
    }
    for (int iteration = 0; iteration < iterations; ++iteration) {
      std::vector<double> next = rod;
      for (std::size_t i = 1; i <= size; ++i) {
        next[i] += static_cast<double>(kFlow) * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
      }
      rod = next;
    }
    copy(host_.data(), new_.data() + 1, cudaMemcpyDeviceToHost);
    rank_.wait_for(rank_.stream());
    double error = 0;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const double should = rod[static_cast<std::size_t>(rank_.rank() * kCells) + cell + 1];
      error = std::max(error, std::abs(static_cast<double>(host_[cell]) - should));
    }
    rank_.report().figure("iterations", iterations);
    rank_.report().numbers(error < 1e-5, "max error " + std::to_string(error) + " (allowed 1e-5)");
    close_communicator(communicator_);
  }

 private:
  void trade(const float* edge, float* halo, int neighbour) {
    check(ncclSend(edge, 1, ncclFloat32, neighbour, communicator_, rank_.stream()));
    check(ncclRecv(halo, 1, ncclFloat32, neighbour, communicator_, rank_.stream()));
  }
  void copy(float* to, const float* from, cudaMemcpyKind kind) {
    check(cudaMemcpyAsync(to, from, kCells * sizeof(float), kind, rank_.stream()));
  }

  Rank& rank_;
  ncclComm_t communicator_;
  Buffer<float> old_, new_, change_, residual_;
  PinnedBuffer<float> host_;
};

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
    if (mine < kConverged) break;  // BUG: the next exchange lacks a neighbour
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

Place residual_at(int iteration) {
  return {"residual/all_reduce", Operation::all_reduce, "world", iteration, "reduce_residual"};
}

Expectation others_wait_in_the_first(int ranks) {
  return one_has_left(ranks, ranks - 1, residual_at(0));
}

// The neighbour lacks a halo; those behind it have theirs, and lack the neighbour.
Expectation neighbour_waits_for_halo(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).culprits({ranks - 1});
  whole.waiting({ranks - 2}, {.label = "halo/exchange",
                              .operation = Operation::recv,
                              .communicator = "world",
                              .caller = "trade"});
  return ranks == 2 ? whole : whole.waiting(all_ranks(ranks - 2), residual_at(1));
}

constexpr Variant kVariants[] = {
    {"fixed_iterations", control, "the same loop for a fixed number of iterations",
     fixed_iterations},
    {"leaves_before_all_reduce", broken,
     "the last rank, whose strip is cold, leaves before the residual is reduced",
     leaves_before_all_reduce, others_wait_in_the_first},
    {"leaves_behind_all_reduce", broken,
     "it leaves behind it: its neighbour lacks a halo, the others lack the neighbour",
     leaves_behind_all_reduce, neighbour_waits_for_halo},
    {"global_residual", fix, "all ranks branch on the reduced residual", global_residual},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank of an iterative solver decides alone that it has converged",
    .variants = kVariants,
};
