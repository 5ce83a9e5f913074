// Mean pooling and mean squared error on the GPU.
#include "kernels/device.cuh"
#include "kernels/layers/pool_loss.h"

namespace gridlock::kernels {
namespace {

__device__ int valid_steps(const int* lengths, std::int64_t sample, int time) {
  return lengths == nullptr ? time : min(max(lengths[sample], 0), time);
}

// One warp a row.
__global__ void pool(const float* __restrict__ x, Shape3 shape, const int* __restrict__ lengths,
                     float* __restrict__ pooled) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = device::first_row(); row < rows; row += device::row_stride()) {
    const int steps = valid_steps(lengths, row / shape.channels, shape.time);
    float sum = 0.0F;
    for (int t = threadIdx.x; t < steps; t += device::kWarp) sum += x[row * shape.time + t];
    sum = device::warp_sum(sum);
    if (threadIdx.x == 0) pooled[row] = steps == 0 ? 0.0F : sum / static_cast<float>(steps);
  }
}

// One block: there are few rows, and a fixed order makes the loss reproducible.
__global__ void mean_squared_error(const float* __restrict__ pooled,
                                   const float* __restrict__ target, std::int64_t rows,
                                   float* __restrict__ loss) {
  float sum = 0.0F;
  for (std::int64_t row = threadIdx.y * device::kWarp + threadIdx.x; row < rows;
       row += device::kBlock) {
    const float error = pooled[row] - target[row];
    sum += error * error;
  }
  sum = device::block_sum(sum);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    loss[0] = rows == 0 ? 0.0F : sum / static_cast<float>(rows);
  }
}

__global__ void gradient(const float* __restrict__ pooled, const float* __restrict__ target,
                         Shape3 shape, const int* __restrict__ lengths, float scale,
                         float* __restrict__ dx) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = device::first_row(); row < rows; row += device::row_stride()) {
    const int steps = valid_steps(lengths, row / shape.channels, shape.time);
    const float divisor = static_cast<float>(rows) * static_cast<float>(steps);
    const float value = scale * 2.0F * (pooled[row] - target[row]) / divisor;
    for (int t = threadIdx.x; t < shape.time; t += device::kWarp) {
      dx[row * shape.time + t] = t < steps ? value : 0.0F;
    }
  }
}

}  // namespace

cudaError_t launch_pool_loss_forward(const float* x, Shape3 shape, const int* lengths,
                                     const float* target, float* pooled, float* loss,
                                     cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  pool<<<device::blocks_for(rows, device::kWarps), device::row_block(), 0, stream>>>(
      x, shape, lengths, pooled);
  mean_squared_error<<<1, device::row_block(), 0, stream>>>(pooled, target, rows, loss);
  return device::launched();
}

cudaError_t launch_pool_loss_backward(const float* pooled, const float* target, Shape3 shape,
                                      const int* lengths, float scale, float* dx,
                                      cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (elements(shape) == 0) return cudaSuccess;
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  gradient<<<device::blocks_for(rows, device::kWarps), device::row_block(), 0, stream>>>(
      pooled, target, shape, lengths, scale, dx);
  return device::launched();
}

}  // namespace gridlock::kernels
