// A strip of a rod along which heat flows: an iterative solver with a halo exchange and a residual.
#pragma once

#include "scenarios/expectation.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

// Each rank has one strip between two halo cells. At the start, the middle of each strip is warm.
// Only the last rank's strip is cold.
class Strip {
 public:
  //   Collective, Blocks  opens the communicator "world"
  explicit Strip(Rank& rank);

  // Exchanges edge cells with the neighbors: each side's go into the other side's halo cells.
  //   Collective  of the two neighbors
  //   Blocks      no
  void exchange_halo();

  // Makes one time step.
  //   Returns  the largest change of any cell in this strip
  //   Blocks   until the halo has arrived
  float update();

  //   Returns             the largest residual of all ranks
  //   Collective, Blocks  until all ranks have called it
  float reduce_residual(float mine);

  // Compares with the whole rod, computed on the host in double precision, after `iterations`.
  // Closes the communicator.
  //   Collective, Blocks
  void verify(int iterations);

 private:
  void trade(const float* edge, float* halo, int neighbour);
  void copy(float* to, const float* from, cudaMemcpyKind kind);

  Rank& rank_;
  ncclComm_t communicator_;
  Buffer<float> old_, new_, change_, residual_;
  PinnedBuffer<float> host_;
};

// Where ranks wait for a neighbor's halo, and for the residual of an iteration.
inline Place halo_exchange() {
  return {.label = "halo/exchange",
          .operation = Operation::recv,
          .communicator = "world",
          .caller = "trade"};
}
inline Place residual_in(int iteration) {
  return {"residual/all_reduce", Operation::all_reduce, "world", iteration, "reduce_residual"};
}

}  // namespace gridlock
