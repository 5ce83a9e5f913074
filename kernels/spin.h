// Keeps a stream busy. The device bounds it: it ends after kSpinLimitNanoseconds, whatever the
// caller asks for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// No spin lasts longer (500 ms), even if its flag is never set: shorter than the harness's stall
// limit, so that a spin is never taken for a hang, and no GPU is left behind that is busy for ever.
inline constexpr std::uint64_t kSpinLimitNanoseconds = 500'000'000;

// Occupies the stream until flag[0] is not 0, at most for min(nanoseconds, kSpinLimitNanoseconds).
//   flag    [1] int32 in device or pinned host memory, set by anyone (a copy on another stream, the
//           host); null spins for the time alone
//   Errors  what the launch reported
//   Blocks  not the host; the stream, for the bounded time above
//   Cure    where a program waits behind it for longer than meant: set the flag
cudaError_t launch_spin(std::uint64_t nanoseconds, const int* flag, cudaStream_t stream);

namespace cpu {
void spin(std::uint64_t nanoseconds, const int* flag);  // Blocks as above
}  // namespace cpu
}  // namespace gridlock::kernels
