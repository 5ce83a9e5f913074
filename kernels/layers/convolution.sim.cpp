// Convolution over time on a simulated stream.
#include "kernels/layers/convolution.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_convolution_forward(const float* x, const float* weight, const float* bias,
                                       Shape3 x_shape, int out_channels, float* y,
                                       cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::convolution_forward(x, weight, bias, x_shape, out_channels, y); });
}

cudaError_t launch_convolution_backward_data(const float* dy, const float* weight, Shape3 x_shape,
                                             int out_channels, float* dx, cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(
      stream, [=] { cpu::convolution_backward_data(dy, weight, x_shape, out_channels, dx); });
}

cudaError_t launch_convolution_backward_weight(const float* dy, const float* x, Shape3 x_shape,
                                               int out_channels, float* dweight, float* dbias,
                                               cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] {
    cpu::convolution_backward_weight(dy, x, x_shape, out_channels, dweight, dbias);
  });
}

}  // namespace gridlock::kernels
