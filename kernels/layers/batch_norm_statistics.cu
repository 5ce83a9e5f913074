// Batch normalization's statistics on the GPU: of a rank's own data, of all ranks' data from their
// records, and the running statistics.
#include "kernels/layers/batch_norm.h"
#include "kernels/layers/rows.cuh"

namespace gridlock::kernels {
namespace {

// Statistics of `count` values; m2 is the sum of squared distances from the mean.
struct Moments {
  float count;
  float mean;
  float m2;
};

// The moments of the values that a thread holds, at least one. Two passes over registers, with only
// one division. If the thread holds fewer than kHold values, their mean may be two ulp off. m2 is
// taken around that mean, so its error is of second order.
__device__ Moments moments_of(const device::Held& held, float origin) {
  const float count = static_cast<float>(held.count);
  float sum = 0.0F;
#pragma unroll
  for (int k = 0; k < device::kHold; ++k) sum += k < held.count ? held.value[k] - origin : 0.0F;
  const float mean =
      held.count == device::kHold ? sum * (1.0F / device::kHold) : __fdividef(sum, count);
  float m2 = 0.0F;
#pragma unroll
  for (int k = 0; k < device::kHold; ++k) {
    const float delta = k < held.count ? held.value[k] - origin - mean : 0.0F;
    m2 += delta * delta;
  }
  return {count, mean, m2};
}

// Merges two sets (Chan, Golub, LeVeque 1983).
__device__ Moments merge(const Moments& left, const Moments& right) {
  if (right.count == 0.0F) return left;
  if (left.count == 0.0F) return right;
  const float count = left.count + right.count;
  const float delta = right.mean - left.mean;
  const float share = right.count / count;
  return {count, left.mean + delta * share,
          left.m2 + right.m2 + delta * delta * left.count * share};
}

__device__ Moments warp_merge(Moments all) {
  for (int offset = device::kWarp / 2; offset > 0; offset /= 2) {
    all = merge(all, {__shfl_down_sync(device::kAllLanes, all.count, offset),
                      __shfl_down_sync(device::kAllLanes, all.mean, offset),
                      __shfl_down_sync(device::kAllLanes, all.m2, offset)});
  }
  return all;  // in lane 0
}

// All values are relative to the channel's first one: otherwise the variance's error grows with
// mean / deviation.
template <bool kVector>
__global__ void __maxnreg__(device::kChannelRegisters)
    statistics(const float* __restrict__ x, Shape3 shape, int tiles, float* __restrict__ mean,
               float* __restrict__ var) {
  __shared__ Moments partial[device::kChannelWarps];
  for (int c = blockIdx.x; c < shape.channels; c += gridDim.x) {
    const bool empty = shape.batch == 0 || shape.time == 0;
    const float origin = empty ? 0.0F : x[static_cast<std::int64_t>(c) * shape.time];
    Moments all{0.0F, 0.0F, 0.0F};
    device::visit_channel(shape, tiles, c, [&](std::int64_t row, int first) {
      const device::Held held = device::hold<kVector>(x + row, first, shape.time);
      if (held.count > 0) all = merge(all, moments_of(held, origin));
    });
    all = warp_merge(all);
    __syncthreads();  // the last channel's partial results have been read
    if (threadIdx.x == 0) partial[threadIdx.y] = all;
    __syncthreads();
    if (threadIdx.y != 0) continue;
    all = warp_merge(threadIdx.x < device::kChannelWarps ? partial[threadIdx.x]
                                                         : Moments{0.0F, 0.0F, 0.0F});
    if (threadIdx.x == 0) {
      mean[c] = origin + all.mean;
      var[c] = all.count == 0.0F ? 0.0F : all.m2 / all.count;
    }
  }
}

// Not rsqrtf, whose two ulp would be the largest error of the forward pass.
__device__ float inverse_sqrt(float value) { return 1.0F / sqrtf(value); }

__device__ float variance_of(float inverse_std, float epsilon) {
  const float var = 1.0F / (inverse_std * inverse_std) - epsilon;
  return var < 0.0F ? 0.0F : var;  // NaN passes
}

__device__ int channel_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void record_kernel(const float* __restrict__ mean, const float* __restrict__ var,
                              int channels, float count, float epsilon,
                              float* __restrict__ record) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int c = channel_index(); c < channels; c += step) {
    record[c] = mean[c];
    record[channels + c] = inverse_sqrt(var[c] + epsilon);
  }
  if (channel_index() == 0) record[2 * static_cast<std::int64_t>(channels)] = count;
}

// One thread per channel. It takes the ranks in order, so that every rank computes the same bits.
__global__ void combine(const float* __restrict__ records, int world_size, int channels,
                        float epsilon, float* __restrict__ mean, float* __restrict__ inverse_std,
                        float* __restrict__ total_count) {
  const std::int64_t size = 2 * static_cast<std::int64_t>(channels) + 1;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int c = channel_index(); c < channels; c += step) {
    Moments all{0.0F, 0.0F, 0.0F};
    for (int rank = 0; rank < world_size; ++rank) {
      const float* record = records + rank * size;
      const float count = record[size - 1];
      all = merge(all, {count, record[c], variance_of(record[channels + c], epsilon) * count});
    }
    mean[c] = all.mean;
    inverse_std[c] = inverse_sqrt((all.count == 0.0F ? 0.0F : all.m2 / all.count) + epsilon);
  }
  if (channel_index() == 0) {
    float total = 0.0F;
    for (int rank = 0; rank < world_size; ++rank) total += records[(rank + 1) * size - 1];
    total_count[0] = total;
  }
}

__global__ void update_running(const float* __restrict__ mean,
                               const float* __restrict__ inverse_std,
                               const float* __restrict__ total_count, int channels, float epsilon,
                               float momentum, float* __restrict__ running_mean,
                               float* __restrict__ running_var) {
  const float n = total_count[0];
  if (n == 0.0F) return;
  const float unbiased = n > 1.0F ? n / (n - 1.0F) : 1.0F;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int c = channel_index(); c < channels; c += step) {
    const float var = variance_of(inverse_std[c], epsilon) * unbiased;
    running_mean[c] += momentum * (mean[c] - running_mean[c]);
    running_var[c] += momentum * (var - running_var[c]);
  }
}

}  // namespace

cudaError_t launch_batch_norm_statistics(const float* x, Shape3 shape, float* mean, float* var,
                                         cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  if (shape.channels == 0) return cudaSuccess;
  const int tiles = device::tiles_in(shape.time);
  auto* kernel = device::rows_are_aligned(shape.time, x) ? &statistics<true> : &statistics<false>;
  kernel<<<device::blocks_for(shape.channels, 1), device::channel_block(), 0, stream>>>(
      x, shape, tiles, mean, var);
  return device::launched();
}

cudaError_t launch_batch_norm_inverse_std(const float* var, int channels, float epsilon,
                                          float* inverse_std, cudaStream_t stream) {
  return device::map(
      stream, channels, inverse_std,
      [epsilon] __device__(float value) { return 1.0F / sqrtf(value + epsilon); }, var);
}

cudaError_t launch_batch_norm_record(const float* mean, const float* var, Shape3 shape,
                                     float epsilon, float* record, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  record_kernel<<<device::blocks_for(shape.channels, device::kBlock), device::kBlock, 0, stream>>>(
      mean, var, shape.channels, static_cast<float>(per_channel(shape)), epsilon, record);
  return device::launched();
}

cudaError_t launch_batch_norm_combine(const float* records, int world_size, int channels,
                                      float epsilon, float* mean, float* inverse_std,
                                      float* total_count, cudaStream_t stream) {
  if (world_size < 0 || channels < 0) return cudaErrorInvalidValue;
  combine<<<device::blocks_for(channels, device::kBlock), device::kBlock, 0, stream>>>(
      records, world_size, channels, epsilon, mean, inverse_std, total_count);
  return device::launched();
}

cudaError_t launch_batch_norm_update_running(const float* mean, const float* inverse_std,
                                             const float* total_count, int channels, float epsilon,
                                             float momentum, float* running_mean,
                                             float* running_var, cudaStream_t stream) {
  if (channels < 0) return cudaErrorInvalidValue;
  update_running<<<device::blocks_for(channels, device::kBlock), device::kBlock, 0, stream>>>(
      mean, inverse_std, total_count, channels, epsilon, momentum, running_mean, running_var);
  return device::launched();
}

}  // namespace gridlock::kernels
