// A strip of a rod along which heat flows: an iterative solver with a halo exchange and a residual.
#pragma once

#include "scenarios/expectation.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

// Each rank has one strip between two halo cells. At the start the middle of every strip is warm,
// except the last rank's, which is cold.
class Strip {
 public:
  //   Collective, Blocks  opens the communicator "world"
  explicit Strip(Rank& rank);

  // Fills this strip's halo cells with the neighbours' edge cells, and the other way round.
  //   Collective  of the two neighbours
  //   Blocks      no
  void exchange_halo();

  // One step in time.
  //   Returns  the largest change of a cell of this strip
  //   Blocks   until the halo is there
  float update();

  //   Returns             the largest residual of all ranks
  //   Collective, Blocks  until all ranks have called it
  float reduce_residual(float mine);

  // Compares with the whole rod on the host, in double precision, after as many steps. Closes the
  // communicator.
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

// Where ranks wait for a neighbour's halo, and for the residual of an iteration.
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
