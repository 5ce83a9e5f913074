// Stochastic gradient descent, with or without momentum.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// weights -= learning_rate * g, where g is the gradient, or with a momentum buffer
// g = velocity = momentum * velocity + gradient (PyTorch's form: the learning rate is outside).
//   weights, gradient, velocity  [count] float32, device memory; velocity may be null, and then
//                                momentum is not used; it starts as zeros
//   Errors                       cudaErrorInvalidValue for a negative count; what the launch said
//   Blocks                       no (enqueued on `stream`)
//   Source                       Sutskever et al. 2013, in PyTorch's form
cudaError_t launch_sgd(float* weights, const float* gradient, float* velocity, std::int64_t count,
                       float learning_rate, float momentum, cudaStream_t stream);

namespace cpu {
void sgd(float* weights, const float* gradient, float* velocity, std::int64_t count,
         float learning_rate, float momentum);
}  // namespace cpu
}  // namespace gridlock::kernels
