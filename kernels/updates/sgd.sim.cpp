// Stochastic gradient descent on a simulated stream.
#include "kernels/updates/sgd.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_sgd(float* weights, const float* gradient, float* velocity, std::int64_t count,
                       float learning_rate, float momentum, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(
      stream, [=] { cpu::sgd(weights, gradient, velocity, count, learning_rate, momentum); });
}

}  // namespace gridlock::kernels
