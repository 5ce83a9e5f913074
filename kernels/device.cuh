// What the GPU kernels share: grid sizes, reductions over a warp and a block, elementwise maps.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "kernels/shape.h"

namespace gridlock::kernels::device {

constexpr int kWarp = 32;
constexpr int kWarps = 8;  // of a block
constexpr int kBlock = kWarp * kWarps;
constexpr unsigned kAllLanes = 0xffffffffU;
// Enough blocks to fill any GPU; grid-stride loops do the rest.
constexpr std::int64_t kMaxBlocks = 4096;

// Blocks for `work` items at `per_block` each, at least one.
inline unsigned blocks_for(std::int64_t work, std::int64_t per_block) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((work + per_block - 1) / per_block, 1, kMaxBlocks));
}

// Whether the launch just before was accepted. cudaStreamQuery leaves cudaErrorNotReady as the last
// error, which says nothing about a launch after it.
inline cudaError_t launched() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaErrorNotReady ? cudaSuccess : error;
}

// The block shape of kernels in which a warp walks along one row (a sample's channel): loads are
// coalesced for any length, and no index needs a division.
inline dim3 row_block() { return dim3(kWarp, kWarps); }

__device__ inline std::int64_t first_row() {
  return static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.y;
}
__device__ inline std::int64_t row_stride() {
  return static_cast<std::int64_t>(gridDim.x) * kWarps;
}

__device__ inline float warp_sum(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  return value;
}

// The sum over a block of `kCount` warps, valid in the first warp. Every thread calls it.
template <int kCount = kWarps>
__device__ float block_sum(float value) {
  __shared__ float partial[kCount];
  value = warp_sum(value);
  __syncthreads();  // the last call's partial sums have been read
  if (threadIdx.x == 0) partial[threadIdx.y] = value;
  __syncthreads();
  if (threadIdx.y == 0) value = warp_sum(threadIdx.x < kCount ? partial[threadIdx.x] : 0.0F);
  return value;
}

template <class F, class... Vector>
__device__ float4 apply(const F& f, Vector... v) {
  return {f(v.x...), f(v.y...), f(v.z...), f(v.w...)};
}

// out[i] = f(in[i]...), four at a time for the first `vectors`. In place is fine: each thread reads
// before it writes, and only at its own place.
template <class F, class... In>
__global__ void map_kernel(float* out, std::int64_t vectors, std::int64_t count, F f, In... in) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = first; i < vectors; i += stride) {
    reinterpret_cast<float4*>(out)[i] = apply(f, reinterpret_cast<const float4*>(in)[i]...);
  }
  // If the pointers do not allow float4, four loads are in flight anyway.
  std::int64_t i = 4 * vectors + first;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const float a = f(in[i]...);
    const float b = f(in[i + stride]...);
    const float c = f(in[i + 2 * stride]...);
    const float d = f(in[i + 3 * stride]...);
    out[i] = a;
    out[i + stride] = b;
    out[i + 2 * stride] = c;
    out[i + 3 * stride] = d;
  }
  for (; i < count; i += stride) out[i] = f(in[i]...);
}

inline bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

// Four floats at a time if all pointers allow it (an offset into a bucket may not).
template <class F, class... In>
cudaError_t map(cudaStream_t stream, std::int64_t count, float* out, const F& f, In... in) {
  if (count < 0) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  const std::int64_t vectors = (aligned(out) && ... && aligned(in)) ? count / 4 : 0;
  const std::int64_t work = std::max(vectors, count - 4 * vectors);
  map_kernel<<<blocks_for(work, kBlock), kBlock, 0, stream>>>(out, vectors, count, f, in...);
  return launched();
}

}  // namespace gridlock::kernels::device
