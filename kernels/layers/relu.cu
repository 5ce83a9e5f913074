// The rectified linear unit on the GPU.
#include "kernels/device.cuh"
#include "kernels/layers/relu.h"

namespace gridlock::kernels {

// fmaxf would turn NaN into 0.
cudaError_t launch_relu_forward(const float* x, std::int64_t count, float* y, cudaStream_t stream) {
  return device::map(
      stream, count, y, [] __device__(float value) { return value < 0.0F ? 0.0F : value; }, x);
}

cudaError_t launch_relu_backward(const float* dy, const float* x, std::int64_t count, float* dx,
                                 cudaStream_t stream) {
  return device::map(
      stream, count, dx,
      [] __device__(float gradient, float value) { return value <= 0.0F ? 0.0F : gradient; }, dy,
      x);
}

}  // namespace gridlock::kernels
