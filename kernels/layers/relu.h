// Rectified linear unit. NaN passes through.
//
//   x, y, dy, dx  [count] float32, device memory; y may be x, dx may be dy
//   Errors        cudaErrorInvalidValue for a negative count; what the launch reported
//   Blocks        no (enqueued on `stream`)
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// y = 0 where x < 0, else x.
cudaError_t launch_relu_forward(const float* x, std::int64_t count, float* y, cudaStream_t stream);

// dx = 0 where x <= 0, else dy. `x` may be the forward's input or its output.
cudaError_t launch_relu_backward(const float* dy, const float* x, std::int64_t count, float* dx,
                                 cudaStream_t stream);

namespace cpu {
void relu_forward(const float* x, std::int64_t count, float* y);
void relu_backward(const float* dy, const float* x, std::int64_t count, float* dx);
}  // namespace cpu
}  // namespace gridlock::kernels
