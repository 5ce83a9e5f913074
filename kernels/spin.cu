// The bounded spin on the GPU: one thread looks at the clock and the flag in turn.
#include <algorithm>

#include "kernels/device.cuh"
#include "kernels/spin.h"

namespace gridlock::kernels {
namespace {

__device__ std::uint64_t now_nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// The host or another device may set the flag, hence system scope.
__device__ int load_system(const int* flag) {
  int value;
  asm volatile("ld.acquire.sys.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void spin(std::uint64_t bound, const int* flag) {
  constexpr unsigned kNapNanoseconds = 200;  // leaves the memory system to others
  const std::uint64_t start = now_nanoseconds();
  while (now_nanoseconds() - start < bound) {
    if (flag != nullptr && load_system(flag) != 0) return;
    __nanosleep(kNapNanoseconds);
  }
}

}  // namespace

cudaError_t launch_spin(std::uint64_t nanoseconds, const int* flag, cudaStream_t stream) {
  spin<<<1, 1, 0, stream>>>(std::min<std::uint64_t>(nanoseconds, kSpinLimitNanoseconds), flag);
  return device::launched();
}

}  // namespace gridlock::kernels
