// Sinusoidal positional encoding on the GPU.
#include "kernels/device.cuh"
#include "kernels/layers/positional.h"

namespace gridlock::kernels {
namespace {

// float64 is slow on most GPUs, but this fills the table only when it grows.
__global__ void fill(float* __restrict__ buffer, int channels, int length) {
  for (std::int64_t c = device::first_row(); c < channels; c += device::row_stride()) {
    const double frequency = pow(10000.0, -static_cast<double>(c - c % 2) / channels);
    for (int t = threadIdx.x; t < length; t += device::kWarp) {
      const double angle = t * frequency;
      buffer[c * length + t] = static_cast<float>(c % 2 == 0 ? sin(angle) : cos(angle));
    }
  }
}

__global__ void add(const float* x, Shape3 shape, const float* __restrict__ buffer, int length,
                    float* y) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = device::first_row(); row < rows; row += device::row_stride()) {
    const float* encoding = buffer + row % shape.channels * length;
    for (int t = threadIdx.x; t < shape.time; t += device::kWarp) {
      y[row * shape.time + t] = x[row * shape.time + t] + encoding[t];
    }
  }
}

}  // namespace

cudaError_t launch_positional_fill(float* buffer, int channels, int length, cudaStream_t stream) {
  if (channels < 0 || length < 0) return cudaErrorInvalidValue;
  if (channels == 0 || length == 0) return cudaSuccess;
  fill<<<device::blocks_for(channels, device::kWarps), device::row_block(), 0, stream>>>(
      buffer, channels, length);
  return device::launched();
}

cudaError_t launch_positional_add(const float* x, Shape3 shape, const float* buffer, int length,
                                  float* y, cudaStream_t stream) {
  if (!valid(shape) || length < shape.time) return cudaErrorInvalidValue;
  if (elements(shape) == 0) return cudaSuccess;
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  add<<<device::blocks_for(rows, device::kWarps), device::row_block(), 0, stream>>>(
      x, shape, buffer, length, y);
  return device::launched();
}

}  // namespace gridlock::kernels
