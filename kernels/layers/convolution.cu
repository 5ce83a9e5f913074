// Convolution over time on the GPU. A thread computes kTile channels at one place, so it uses each
// loaded value kTile times. The weights pass through shared memory, where all threads of a block
// read the same address.
#include "kernels/layers/convolution.h"
#include "kernels/layers/rows.cuh"

namespace gridlock::kernels {
namespace {

constexpr int kTaps = 3;
constexpr int kThreads = 128;    // along time
constexpr int kTile = 8;         // channels computed by a thread
constexpr int kDepth = 32;       // channels summed over between two loads of weights
constexpr int kMaxGrid = 65535;  // of a grid's second and third extents

using Weights = float[kDepth][kTaps][kTile];

// Loads weight[o][i][k] for kTile channels from `tile` on and kDepth from `depth` on; zeros
// outside. The strides say which of the two is the output channel.
__device__ void load_weights(const float* __restrict__ weight, int tile, int tiles,
                             std::int64_t tile_stride, int depth, int depths,
                             std::int64_t depth_stride, Weights& shared) {
  for (int i = threadIdx.x; i < kDepth * kTaps * kTile; i += kThreads) {
    const int lane = i % kTile;
    const int tap = i / kTile % kTaps;
    const int row = i / (kTile * kTaps);
    const bool inside = tile + lane < tiles && depth + row < depths;
    shared[row][tap][lane] =
        inside ? weight[(tile + lane) * tile_stride + (depth + row) * depth_stride + tap] : 0.0F;
  }
}

// Thread: one t, kTile output channels. Grid: time, tiles of output channels, samples.
__global__ void __launch_bounds__(kThreads)
    forward(const float* __restrict__ x, const float* __restrict__ weight,
            const float* __restrict__ bias, Shape3 shape, int out_channels, int out_time,
            float* __restrict__ y) {
  __shared__ Weights weights;
  const int t = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int in_channels = shape.channels;
  const int time = shape.time;
  for (int tile = blockIdx.y * kTile; tile < out_channels; tile += gridDim.y * kTile) {
    for (std::int64_t b = blockIdx.z; b < shape.batch; b += gridDim.z) {
      float sums[kTile];
      for (int lane = 0; lane < kTile; ++lane) {
        sums[lane] = tile + lane < out_channels ? bias[tile + lane] : 0.0F;
      }
      for (int depth = 0; depth < in_channels; depth += kDepth) {
        __syncthreads();
        load_weights(weight, tile, out_channels, static_cast<std::int64_t>(in_channels) * kTaps,
                     depth, in_channels, kTaps, weights);
        __syncthreads();
        if (t >= out_time) continue;
        const int rows = min(kDepth, in_channels - depth);
        for (int row = 0; row < rows; ++row) {
          const float* in = x + (b * in_channels + depth + row) * time;
          const float left = t > 0 ? in[2 * t - 1] : 0.0F;
          const float middle = in[2 * t];
          const float right = 2 * t + 1 < time ? in[2 * t + 1] : 0.0F;
#pragma unroll
          for (int lane = 0; lane < kTile; ++lane) {
            sums[lane] += weights[row][0][lane] * left + weights[row][1][lane] * middle +
                          weights[row][2][lane] * right;
          }
        }
      }
      if (t >= out_time) continue;
#pragma unroll
      for (int lane = 0; lane < kTile; ++lane) {
        if (tile + lane < out_channels) {
          y[(b * out_channels + tile + lane) * out_time + t] = sums[lane];
        }
      }
    }
  }
}

// Thread: dx at 2p and 2p + 1 for kTile input channels. Only the middle tap of output p read an
// even place. The right tap of p and the left tap of p + 1 read an odd one.
__global__ void __launch_bounds__(kThreads)
    backward_data(const float* __restrict__ dy, const float* __restrict__ weight, Shape3 shape,
                  int out_channels, int out_time, float* __restrict__ dx) {
  __shared__ Weights weights;
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int in_channels = shape.channels;
  const int time = shape.time;
  for (int tile = blockIdx.y * kTile; tile < in_channels; tile += gridDim.y * kTile) {
    for (std::int64_t b = blockIdx.z; b < shape.batch; b += gridDim.z) {
      float even[kTile] = {};
      float odd[kTile] = {};
      for (int depth = 0; depth < out_channels; depth += kDepth) {
        __syncthreads();
        load_weights(weight, tile, in_channels, kTaps, depth, out_channels,
                     static_cast<std::int64_t>(in_channels) * kTaps, weights);
        __syncthreads();
        if (p >= out_time) continue;
        const int rows = min(kDepth, out_channels - depth);
        for (int row = 0; row < rows; ++row) {
          const float* out = dy + (b * out_channels + depth + row) * out_time;
          const float here = out[p];
          const float next = p + 1 < out_time ? out[p + 1] : 0.0F;
#pragma unroll
          for (int lane = 0; lane < kTile; ++lane) {
            even[lane] += weights[row][1][lane] * here;
            odd[lane] += weights[row][2][lane] * here + weights[row][0][lane] * next;
          }
        }
      }
      if (p >= out_time) continue;
#pragma unroll
      for (int lane = 0; lane < kTile; ++lane) {
        if (tile + lane >= in_channels) break;
        float* in = dx + (b * in_channels + tile + lane) * time;
        in[2 * p] = even[lane];
        if (2 * p + 1 < time) in[2 * p + 1] = odd[lane];
      }
    }
  }
}

// Block: one output channel and kTile input channels, with one warp per sample. The order of the
// sum is fixed.
__global__ void __launch_bounds__(device::kBlock)
    backward_weight(const float* __restrict__ dy, const float* __restrict__ x, Shape3 shape,
                    int out_channels, int out_time, float* __restrict__ dweight) {
  constexpr int kSums = kTile * kTaps;
  __shared__ float partial[device::kWarps][kSums];
  const int in_channels = shape.channels;
  const int time = shape.time;
  const int o = static_cast<int>(blockIdx.x);
  for (int tile = blockIdx.y * kTile; tile < in_channels; tile += gridDim.y * kTile) {
    float sums[kTile][kTaps] = {};
    for (std::int64_t b = threadIdx.y; b < shape.batch; b += device::kWarps) {
      const float* out = dy + (b * out_channels + o) * out_time;
      const float* in = x + (b * in_channels + tile) * time;
      for (int t = threadIdx.x; t < out_time; t += device::kWarp) {
        const float gradient = out[t];
#pragma unroll
        for (int lane = 0; lane < kTile; ++lane) {
          if (tile + lane >= in_channels) break;
          const float* row = in + static_cast<std::int64_t>(lane) * time;
          if (t > 0) sums[lane][0] += gradient * row[2 * t - 1];
          sums[lane][1] += gradient * row[2 * t];
          if (2 * t + 1 < time) sums[lane][2] += gradient * row[2 * t + 1];
        }
      }
    }
    __syncthreads();  // the last tile's partial sums have been read
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      const float sum = device::warp_sum(sums[i / kTaps][i % kTaps]);
      if (threadIdx.x == 0) partial[threadIdx.y][i] = sum;
    }
    __syncthreads();
    const int i = static_cast<int>(threadIdx.x);
    if (threadIdx.y == 0 && i < kSums && tile + i / kTaps < in_channels) {
      float sum = 0.0F;
      for (int warp = 0; warp < device::kWarps; ++warp) sum += partial[warp][i];
      dweight[(static_cast<std::int64_t>(o) * in_channels + tile) * kTaps + i] = sum;
    }
  }
}

unsigned tiles_of(int channels) {
  return static_cast<unsigned>(std::min((channels + kTile - 1) / kTile, kMaxGrid));
}

dim3 grid_for(int out_time, int channels, int batch) {
  return dim3(static_cast<unsigned>((out_time + kThreads - 1) / kThreads), tiles_of(channels),
              static_cast<unsigned>(std::min(batch, kMaxGrid)));
}

}  // namespace

cudaError_t launch_convolution_forward(const float* x, const float* weight, const float* bias,
                                       Shape3 x_shape, int out_channels, float* y,
                                       cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  const int out_time = subsampled(x_shape.time);
  if (elements({x_shape.batch, out_channels, out_time}) == 0) return cudaSuccess;
  forward<<<grid_for(out_time, out_channels, x_shape.batch), kThreads, 0, stream>>>(
      x, weight, bias, x_shape, out_channels, out_time, y);
  return device::launched();
}

cudaError_t launch_convolution_backward_data(const float* dy, const float* weight, Shape3 x_shape,
                                             int out_channels, float* dx, cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  if (elements(x_shape) == 0) return cudaSuccess;
  const int out_time = subsampled(x_shape.time);
  backward_data<<<grid_for(out_time, x_shape.channels, x_shape.batch), kThreads, 0, stream>>>(
      dy, weight, x_shape, out_channels, out_time, dx);
  return device::launched();
}

cudaError_t launch_convolution_backward_weight(const float* dy, const float* x, Shape3 x_shape,
                                               int out_channels, float* dweight, float* dbias,
                                               cudaStream_t stream) {
  if (!valid(x_shape) || out_channels < 0) return cudaErrorInvalidValue;
  const int out_time = subsampled(x_shape.time);
  const cudaError_t error =
      device::launch_channel_sums(dy, {x_shape.batch, out_channels, out_time}, dbias, stream);
  if (error != cudaSuccess || out_channels == 0 || x_shape.channels == 0) return error;
  const dim3 grid(static_cast<unsigned>(out_channels), tiles_of(x_shape.channels));
  backward_weight<<<grid, device::row_block(), 0, stream>>>(dy, x, x_shape, out_channels, out_time,
                                                            dweight);
  return device::launched();
}

}  // namespace gridlock::kernels
