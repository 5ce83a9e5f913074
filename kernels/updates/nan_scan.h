// Tells on the device whether any value is not finite, so that the host reads one int.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// Sets flag[0] to 1 if any of `values` is NaN or infinite. Otherwise leaves it unchanged, so
// several scans can share it. The caller zeroes it.
//   values  [count] float32, device memory
//   flag    [1] int32, device memory
//   Errors  cudaErrorInvalidValue for a negative count; what the launch reported
//   Blocks  no (enqueued on `stream`)
cudaError_t launch_nan_scan(const float* values, std::int64_t count, int* flag,
                            cudaStream_t stream);

namespace cpu {
void nan_scan(const float* values, std::int64_t count, int* flag);
}  // namespace cpu
}  // namespace gridlock::kernels
