// Stochastic gradient descent on the GPU.
#include "kernels/device.cuh"
#include "kernels/updates/sgd.h"

namespace gridlock::kernels {
namespace {

__device__ void step(float& weight, float& velocity, float gradient, float learning_rate,
                     float momentum) {
  velocity = momentum * velocity + gradient;
  weight -= learning_rate * velocity;
}

// Not a map: it reads three values and writes two, in one pass instead of two.
__global__ void momentum_step(float* __restrict__ weights, const float* __restrict__ gradient,
                              float* __restrict__ velocity, std::int64_t vectors,
                              std::int64_t count, float learning_rate, float momentum) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = first; i < vectors; i += stride) {
    float4 w = reinterpret_cast<float4*>(weights)[i];
    float4 v = reinterpret_cast<float4*>(velocity)[i];
    const float4 g = reinterpret_cast<const float4*>(gradient)[i];
    step(w.x, v.x, g.x, learning_rate, momentum);
    step(w.y, v.y, g.y, learning_rate, momentum);
    step(w.z, v.z, g.z, learning_rate, momentum);
    step(w.w, v.w, g.w, learning_rate, momentum);
    reinterpret_cast<float4*>(weights)[i] = w;
    reinterpret_cast<float4*>(velocity)[i] = v;
  }
  for (std::int64_t i = 4 * vectors + first; i < count; i += stride) {
    step(weights[i], velocity[i], gradient[i], learning_rate, momentum);
  }
}

}  // namespace

cudaError_t launch_sgd(float* weights, const float* gradient, float* velocity, std::int64_t count,
                       float learning_rate, float momentum, cudaStream_t stream) {
  if (velocity == nullptr) {
    return device::map(
        stream, count, weights,
        [learning_rate] __device__(float weight, float g) { return weight - learning_rate * g; },
        static_cast<const float*>(weights), gradient);
  }
  if (count < 0) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  const bool aligned =
      device::aligned(weights) && device::aligned(gradient) && device::aligned(velocity);
  const std::int64_t vectors = aligned ? count / 4 : 0;
  const std::int64_t work = std::max(vectors, count - 4 * vectors);
  momentum_step<<<device::blocks_for(work, device::kBlock), device::kBlock, 0, stream>>>(
      weights, gradient, velocity, vectors, count, learning_rate, momentum);
  return device::launched();
}

}  // namespace gridlock::kernels
