// Batch normalization on the GPU, given the statistics.
#include "kernels/layers/batch_norm.h"
#include "kernels/layers/rows.cuh"

namespace gridlock::kernels {
namespace {

// y may be x: each thread reads before it writes, and only there.
template <bool kVector>
__global__ void forward(const float* x, Shape3 shape, int tiles, const float* __restrict__ mean,
                        const float* __restrict__ inverse_std, const float* __restrict__ gamma,
                        const float* __restrict__ beta, float* y) {
  device::visit_rows(shape, tiles, [&](std::int64_t row, int first) {
    const auto c = row % shape.channels;
    device::Held held = device::hold<kVector>(x + row * shape.time, first, shape.time);
    const float center = mean[c];
    const float factor = gamma[c] * inverse_std[c];
    const float shift = beta[c];
#pragma unroll
    for (float& value : held.value) value = (value - center) * factor + shift;
    device::release<kVector>(held, y + row * shape.time, first);
  });
}

template <bool kVector>
__global__ void __maxnreg__(device::kChannelRegisters)
    backward_reduce(const float* __restrict__ dy, const float* __restrict__ x, Shape3 shape,
                    int tiles, const float* __restrict__ mean,
                    const float* __restrict__ inverse_std, float* __restrict__ sums,
                    float* __restrict__ dgamma, float* __restrict__ dbeta) {
  for (int c = blockIdx.x; c < shape.channels; c += gridDim.x) {
    const float center = mean[c];
    float sum = 0.0F;
    float sum_xmu = 0.0F;
    device::visit_channel(shape, tiles, c, [&](std::int64_t row, int first) {
      const device::Held gradient = device::hold<kVector>(dy + row, first, shape.time);
      const device::Held value = device::hold<kVector>(x + row, first, shape.time);
#pragma unroll
      for (int k = 0; k < device::kHold; ++k) {
        sum += gradient.value[k];
        sum_xmu += k < value.count ? gradient.value[k] * (value.value[k] - center) : 0.0F;
      }
    });
    sum = device::block_sum<device::kChannelWarps>(sum);
    sum_xmu = device::block_sum<device::kChannelWarps>(sum_xmu);
    if (threadIdx.x != 0 || threadIdx.y != 0) continue;
    sums[c] = sum;
    sums[shape.channels + c] = sum_xmu;
    dgamma[c] = shape.batch == 0 || shape.time == 0 ? 0.0F : sum_xmu * inverse_std[c];
    dbeta[c] = sum;
  }
}

// dx may be dy, as above.
template <bool kVector>
__global__ void backward(const float* dy, const float* __restrict__ x, Shape3 shape, int tiles,
                         const float* __restrict__ mean, const float* __restrict__ inverse_std,
                         const float* __restrict__ gamma, const float* __restrict__ sums,
                         const float* __restrict__ total_count, float* dx) {
  const float n = total_count[0];
  device::visit_rows(shape, tiles, [&](std::int64_t row, int first) {
    const auto c = row % shape.channels;
    device::Held gradient = device::hold<kVector>(dy + row * shape.time, first, shape.time);
    const device::Held value = device::hold<kVector>(x + row * shape.time, first, shape.time);
    const float center = mean[c];
    const float factor = gamma[c] * inverse_std[c];
    const float mean_dy = sums[c] / n;
    const float slope = inverse_std[c] * inverse_std[c] * sums[shape.channels + c] / n;
#pragma unroll
    for (int k = 0; k < device::kHold; ++k) {
      gradient.value[k] =
          factor * (gradient.value[k] - mean_dy - (value.value[k] - center) * slope);
    }
    device::release<kVector>(gradient, dx + row * shape.time, first);
  });
}

unsigned row_blocks(Shape3 shape, int tiles) {
  return device::blocks_for(static_cast<std::int64_t>(shape.batch) * shape.channels * tiles,
                            device::kWarps);
}

}  // namespace

cudaError_t launch_batch_norm_forward(const float* x, Shape3 shape, const float* mean,
                                      const float* inverse_std, const float* gamma,
                                      const float* beta, float* y, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (elements(shape) == 0) return cudaSuccess;
  const int tiles = device::tiles_in(shape.time);
  auto* kernel = device::rows_are_aligned(shape.time, x, y) ? &forward<true> : &forward<false>;
  kernel<<<row_blocks(shape, tiles), device::row_block(), 0, stream>>>(x, shape, tiles, mean,
                                                                       inverse_std, gamma, beta, y);
  return device::launched();
}

cudaError_t launch_batch_norm_backward_reduce(const float* dy, const float* x, Shape3 shape,
                                              const float* mean, const float* inverse_std,
                                              float* sums, float* dgamma, float* dbeta,
                                              cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (shape.channels == 0) return cudaSuccess;
  const int tiles = device::tiles_in(shape.time);
  auto* kernel = device::rows_are_aligned(shape.time, dy, x) ? &backward_reduce<true>
                                                             : &backward_reduce<false>;
  kernel<<<device::blocks_for(shape.channels, 1), device::channel_block(), 0, stream>>>(
      dy, x, shape, tiles, mean, inverse_std, sums, dgamma, dbeta);
  return device::launched();
}

cudaError_t launch_batch_norm_backward(const float* dy, const float* x, Shape3 shape,
                                       const float* mean, const float* inverse_std,
                                       const float* gamma, const float* sums,
                                       const float* total_count, float* dx, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (elements(shape) == 0) return cudaSuccess;
  const int tiles = device::tiles_in(shape.time);
  auto* kernel =
      device::rows_are_aligned(shape.time, dy, x, dx) ? &backward<true> : &backward<false>;
  kernel<<<row_blocks(shape, tiles), device::row_block(), 0, stream>>>(
      dy, x, shape, tiles, mean, inverse_std, gamma, sums, total_count, dx);
  return device::launched();
}

}  // namespace gridlock::kernels
