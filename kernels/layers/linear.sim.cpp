// The linear layer on a simulated stream. There is no library behind it: the handle is empty, and
// one serves all.
#include "kernels/layers/linear.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

struct LinearHandle {};

cudaError_t linear_create(LinearHandle** handle) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  static LinearHandle the_one;
  *handle = &the_one;
  return cudaSuccess;
}

cudaError_t linear_destroy(LinearHandle* /*handle*/) { return cudaSuccess; }

cudaError_t launch_linear_forward(LinearHandle* handle, const float* x, const float* weight,
                                  const float* bias, Shape3 x_shape, int out_channels, float* y,
                                  cudaStream_t stream) {
  if (handle == nullptr || !valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::linear_forward(x, weight, bias, x_shape, out_channels, y); });
}

cudaError_t launch_linear_backward_data(LinearHandle* handle, const float* dy, const float* weight,
                                        Shape3 x_shape, int out_channels, float* dx,
                                        cudaStream_t stream) {
  if (handle == nullptr || !valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::linear_backward_data(dy, weight, x_shape, out_channels, dx); });
}

cudaError_t launch_linear_backward_weight(LinearHandle* handle, const float* dy, const float* x,
                                          Shape3 x_shape, int out_channels, float* dweight,
                                          float* dbias, cudaStream_t stream) {
  if (handle == nullptr || !valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  return sim::launch(
      stream, [=] { cpu::linear_backward_weight(dy, x, x_shape, out_channels, dweight, dbias); });
}

}  // namespace gridlock::kernels
