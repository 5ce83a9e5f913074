// The rectified linear unit on a simulated stream.
#include "kernels/layers/relu.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_relu_forward(const float* x, std::int64_t count, float* y, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::relu_forward(x, count, y); });
}

cudaError_t launch_relu_backward(const float* dy, const float* x, std::int64_t count, float* dx,
                                 cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::relu_backward(dy, x, count, dx); });
}

}  // namespace gridlock::kernels
