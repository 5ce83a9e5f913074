// A grid of CUDA threads on the CPU. Blocks run one after the other. A block's threads are fibers,
// which switch only where a warp or the block waits for all of its threads. Shows wrong indices,
// wrong reductions and threads that do not wait with their warp. Does not show races, or speed.
#pragma once

#include <cuda_runtime_api.h>
#include <gridlock_sim/launch.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace gridlock::emulated {

// The indexes of the calling thread.
const dim3& thread_index();
const dim3& block_index();
const dim3& block_size();
const dim3& grid_size();
int lane();

// All threads of the warp, or of the block, that have not returned must call each of these.
void wait_for_block();
bool any_of_block(bool vote);
float value_of_lane(float value, int lane);  // the caller's own if there is no such lane

// Runs `kernel` for every thread. A warp whose threads wait for different things ends the program.
void run(dim3 grid, dim3 block, const std::function<void()>& kernel);

// The arguments between the triple angle brackets, and then the call.
class Launch {
 public:
  Launch(dim3 grid, dim3 block, std::size_t /*shared*/, cudaStream_t stream)
      : grid_(grid), block_(block), stream_(stream) {}
  template <class Kernel>
  void operator()(Kernel kernel) const {
    sim::launch(stream_, [grid = grid_, block = block_, kernel = std::move(kernel)] {
      run(grid, block, kernel);
    });
  }

 private:
  dim3 grid_, block_;
  cudaStream_t stream_;
};

}  // namespace gridlock::emulated
