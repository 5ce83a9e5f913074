// Pooling and loss on a simulated stream.
#include "kernels/layers/pool_loss.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_pool_loss_forward(const float* x, Shape3 shape, const int* lengths,
                                     const float* target, float* pooled, float* loss,
                                     cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::pool_loss_forward(x, shape, lengths, target, pooled, loss); });
}

cudaError_t launch_pool_loss_backward(const float* pooled, const float* target, Shape3 shape,
                                      const int* lengths, float scale, float* dx,
                                      cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::pool_loss_backward(pooled, target, shape, lengths, scale, dx); });
}

}  // namespace gridlock::kernels
