// The scan for non-finite values on the GPU: one vote per block, and one atomic per block that
// found any.
#include "kernels/device.cuh"
#include "kernels/updates/nan_scan.h"

namespace gridlock::kernels {
namespace {

__global__ void scan(const float* __restrict__ values, std::int64_t vectors, std::int64_t count,
                     int* __restrict__ flag) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  bool found = false;
  for (std::int64_t i = first; i < vectors; i += stride) {
    const float4 v = reinterpret_cast<const float4*>(values)[i];
    found |= !(isfinite(v.x) && isfinite(v.y) && isfinite(v.z) && isfinite(v.w));
  }
  for (std::int64_t i = 4 * vectors + first; i < count; i += stride) found |= !isfinite(values[i]);
  if (__syncthreads_or(found) != 0 && threadIdx.x == 0) atomicExch(flag, 1);
}

}  // namespace

cudaError_t launch_nan_scan(const float* values, std::int64_t count, int* flag,
                            cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  const std::int64_t vectors = device::aligned(values) ? count / 4 : 0;
  const std::int64_t work = std::max(vectors, count - 4 * vectors);
  scan<<<device::blocks_for(work, device::kBlock), device::kBlock, 0, stream>>>(values, vectors,
                                                                                count, flag);
  return device::launched();
}

}  // namespace gridlock::kernels
