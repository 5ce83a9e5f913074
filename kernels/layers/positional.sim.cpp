// Positional encoding on a simulated stream.
#include "kernels/layers/positional.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_positional_fill(float* buffer, int channels, int length, cudaStream_t stream) {
  if (channels < 0 || length < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::positional_fill(buffer, channels, length); });
}

cudaError_t launch_positional_add(const float* x, Shape3 shape, const float* buffer, int length,
                                  float* y, cudaStream_t stream) {
  if (!valid(shape) || length < shape.time) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::positional_add(x, shape, buffer, length, y); });
}

}  // namespace gridlock::kernels
