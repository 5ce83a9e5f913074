// Keeps a stream busy. The device bounds the spin: it ends after kSpinLimitNanoseconds, whatever
// the caller asks for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// No spin lasts longer (500 ms), even if its flag is never set. This is below the harness's stall
// limit, so a spin is never taken for a hang, and no GPU stays busy for ever.
inline constexpr std::uint64_t kSpinLimitNanoseconds = 500'000'000;

// Occupies the stream until flag[0] is not 0, at most for min(nanoseconds, kSpinLimitNanoseconds).
//   flag    [1] int32 in device or pinned host memory, set by anyone (a copy on another stream, the
//           host); null spins for the time alone
//   Errors  what the launch reported
//   Blocks  not the host; the stream, for the bounded time above
//   Cure    set the flag if a program waits behind the spin for longer than meant
cudaError_t launch_spin(std::uint64_t nanoseconds, const int* flag, cudaStream_t stream);

namespace cpu {
void spin(std::uint64_t nanoseconds, const int* flag);  // Blocks as above
}  // namespace cpu
}  // namespace gridlock::kernels
