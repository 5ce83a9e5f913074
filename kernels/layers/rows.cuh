// Passes over the rows of an activation on the GPU; a row is one sample's channel. Elementwise
// passes use one warp for a part of a row. Reductions use one block for a channel, in a fixed
// order, so that equal inputs give equal bits.
#pragma once

#include "kernels/device.cuh"

namespace gridlock::kernels::device {

// A warp walks along rows in tiles of kTile values, of which each thread holds kHold at once: a GPU
// reaches its memory bandwidth only with some 30 KiB in flight in each multiprocessor.
constexpr int kHold = 8;
constexpr int kTile = kWarp * kHold;

struct Held {
  float value[kHold];
  int count;  // valid ones, from the first on; the others are 0
};

// Whether rows can be read as float4, because each begins at a multiple of 16 bytes.
template <class... Pointer>
bool rows_are_aligned(int time, const Pointer*... pointers) {
  return time % 4 == 0 &&
         (... && (reinterpret_cast<std::uintptr_t>(pointers) % sizeof(float4) == 0));
}

// The places in a row that a thread holds of the tile at `first`: two groups of four as float4,
// otherwise kHold places that lie a warp apart. Loads and stores are coalesced either way.
template <bool kVector>
__device__ int place(int first, int k) {
  const int lane = static_cast<int>(threadIdx.x);
  if (kVector) return first + k / 4 * 4 * kWarp + 4 * lane + k % 4;
  return first + k * kWarp + lane;
}

template <bool kVector>
__device__ Held hold(const float* row, int first, int time) {
  Held held;
  held.count = 0;
  if (kVector) {
#pragma unroll
    for (int k = 0; k < kHold; k += 4) {
      const int t = place<true>(first, k);
      const bool inside = t < time;
      const float4 v =
          inside ? *reinterpret_cast<const float4*>(row + t) : float4{0.0F, 0.0F, 0.0F, 0.0F};
      held.value[k] = v.x;
      held.value[k + 1] = v.y;
      held.value[k + 2] = v.z;
      held.value[k + 3] = v.w;
      held.count += inside ? 4 : 0;
    }
  } else {
#pragma unroll
    for (int k = 0; k < kHold; ++k) {
      const int t = place<false>(first, k);
      const bool inside = t < time;
      held.value[k] = inside ? row[t] : 0.0F;
      held.count += inside ? 1 : 0;
    }
  }
  return held;
}

template <bool kVector>
__device__ void release(const Held& held, float* row, int first) {
  if (kVector) {
#pragma unroll
    for (int k = 0; k < kHold; k += 4) {
      if (k >= held.count) break;
      *reinterpret_cast<float4*>(row + place<true>(first, k)) = {
          held.value[k], held.value[k + 1], held.value[k + 2], held.value[k + 3]};
    }
  } else {
#pragma unroll
    for (int k = 0; k < kHold; ++k) {
      if (k < held.count) row[place<false>(first, k)] = held.value[k];
    }
  }
}

inline int tiles_in(int time) { return (time + kTile - 1) / kTile; }

// The block shape of kernels that reduce a channel. There is one block per channel, so a few
// hundred blocks must keep the memory busy.
constexpr int kChannelWarps = 16;
// Registers of a thread there. With more than 32, a multiprocessor of 64 warps holds three such
// blocks instead of four, and an H200 (132 multiprocessors) no longer takes 512 channels at once.
constexpr int kChannelRegisters = 32;
inline dim3 channel_block() { return dim3(kWarp, kChannelWarps); }

// Calls visit(row offset, first place) for the tiles of x[b][channel][t], spread over the warps of
// a block of channel_block()'s shape: long rows as well as many rows.
template <class Visit>
__device__ void visit_channel(Shape3 shape, int tiles, int channel, const Visit& visit) {
  const std::int64_t all = static_cast<std::int64_t>(shape.batch) * tiles;
  for (std::int64_t at = threadIdx.y; at < all; at += kChannelWarps) {
    const std::int64_t b = at / tiles;
    const int first = static_cast<int>(at - b * tiles) * kTile;
    visit((b * shape.channels + channel) * shape.time, first);
  }
}

// Calls visit(row, first place) for the tiles of all rows, spread over the warps of a grid of
// row_block()'s.
template <class Visit>
__device__ void visit_rows(Shape3 shape, int tiles, const Visit& visit) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t at = first_row(); at < rows * tiles; at += row_stride()) {
    const std::int64_t row = at / tiles;
    visit(row, static_cast<int>(at - row * tiles) * kTile);
  }
}

// sums[c] = sum of x[b][c][t] over batch and time. One block per channel.
template <bool kVector>
__global__ void __launch_bounds__(kWarp* kChannelWarps)
    channel_sums(const float* __restrict__ x, Shape3 shape, int tiles, float* __restrict__ sums) {
  for (int c = blockIdx.x; c < shape.channels; c += gridDim.x) {
    float sum = 0.0F;
    visit_channel(shape, tiles, c, [&](std::int64_t row, int first) {
      const Held held = hold<kVector>(x + row, first, shape.time);
#pragma unroll
      for (int k = 0; k < kHold; ++k) sum += held.value[k];
    });
    sum = block_sum<kChannelWarps>(sum);
    if (threadIdx.x == 0 && threadIdx.y == 0) sums[c] = sum;
  }
}

inline cudaError_t launch_channel_sums(const float* x, Shape3 shape, float* sums,
                                       cudaStream_t stream) {
  if (shape.channels == 0) return cudaSuccess;
  const unsigned blocks = blocks_for(shape.channels, 1);
  const int tiles = tiles_in(shape.time);
  if (rows_are_aligned(shape.time, x)) {
    channel_sums<true><<<blocks, channel_block(), 0, stream>>>(x, shape, tiles, sums);
  } else {
    channel_sums<false><<<blocks, channel_block(), 0, stream>>>(x, shape, tiles, sums);
  }
  return launched();
}

}  // namespace gridlock::kernels::device
