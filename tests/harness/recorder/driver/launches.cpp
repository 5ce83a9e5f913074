// The stand-in's launches, copies and sets, mostly for both kinds of default stream. They do
// nothing.
#include "tests/harness/recorder/driver/driver.h"

#define VENDOR extern "C" __attribute__((visibility("default"), noinline))

VENDOR cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  gridlock::driver::note("cudaLaunchKernel");
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) {
  gridlock::driver::note("cudaLaunchHostFunc");
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t,
                                               cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchCooperativeKernel_ptsz(const void*, dim3, dim3, void**, size_t,
                                                    cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t __cudaLaunchKernel(void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t __cudaLaunchKernel_ptsz(void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t*, const void*, void**) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind) { return cudaSuccess; }
VENDOR cudaError_t cudaMemcpy_ptds(void*, const void*, size_t, cudaMemcpyKind) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t,
                                cudaMemcpyKind) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpy2D_ptds(void*, size_t, const void*, size_t, size_t, size_t,
                                     cudaMemcpyKind) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t,
                                     cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemcpy2DAsync_ptsz(void*, size_t, const void*, size_t, size_t, size_t,
                                          cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
VENDOR cudaError_t cudaMemset(void*, int, size_t) { return cudaSuccess; }
VENDOR cudaError_t cudaMemset_ptds(void*, int, size_t) { return cudaSuccess; }
VENDOR cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
VENDOR cudaError_t cudaMemsetAsync_ptsz(void*, int, size_t, cudaStream_t) { return cudaSuccess; }

namespace gridlock::driver {

std::vector<std::pair<const char*, std::function<void()>>> on_default_streams(
    const cudaLaunchConfig_t& launch) {
  constexpr cudaMemcpyKind kInside = cudaMemcpyDeviceToDevice;
  const dim3 one;
  return {
      {"cudaLaunchKernel", [=] { cudaLaunchKernel(nullptr, one, one, nullptr, 0, nullptr); }},
      {"cudaLaunchKernel_ptsz",
       [=] { cudaLaunchKernel_ptsz(nullptr, one, one, nullptr, 0, nullptr); }},
      {"cudaLaunchCooperativeKernel",
       [=] { cudaLaunchCooperativeKernel(nullptr, one, one, nullptr, 0, nullptr); }},
      {"cudaLaunchCooperativeKernel_ptsz",
       [=] { cudaLaunchCooperativeKernel_ptsz(nullptr, one, one, nullptr, 0, nullptr); }},
      {"__cudaLaunchKernel", [=] { __cudaLaunchKernel(nullptr, one, one, nullptr, 0, nullptr); }},
      {"__cudaLaunchKernel_ptsz",
       [=] { __cudaLaunchKernel_ptsz(nullptr, one, one, nullptr, 0, nullptr); }},
      {"cudaLaunchKernelExC", [&launch] { cudaLaunchKernelExC(&launch, nullptr, nullptr); }},
      {"cudaLaunchKernelExC_ptsz",
       [&launch] { cudaLaunchKernelExC_ptsz(&launch, nullptr, nullptr); }},
      {"cudaMemcpy", [] { cudaMemcpy(nullptr, nullptr, 8, kInside); }},
      {"cudaMemcpy_ptds", [] { cudaMemcpy_ptds(nullptr, nullptr, 8, kInside); }},
      {"cudaMemcpyAsync", [] { cudaMemcpyAsync(nullptr, nullptr, 8, kInside, nullptr); }},
      {"cudaMemcpyAsync_ptsz", [] { cudaMemcpyAsync_ptsz(nullptr, nullptr, 8, kInside, nullptr); }},
      {"cudaMemcpy2D", [] { cudaMemcpy2D(nullptr, 8, nullptr, 8, 8, 1, kInside); }},
      {"cudaMemcpy2D_ptds", [] { cudaMemcpy2D_ptds(nullptr, 8, nullptr, 8, 8, 1, kInside); }},
      {"cudaMemcpy2DAsync",
       [] { cudaMemcpy2DAsync(nullptr, 8, nullptr, 8, 8, 1, kInside, nullptr); }},
      {"cudaMemcpy2DAsync_ptsz",
       [] { cudaMemcpy2DAsync_ptsz(nullptr, 8, nullptr, 8, 8, 1, kInside, nullptr); }},
      {"cudaMemset", [] { cudaMemset(nullptr, 0, 8); }},
      {"cudaMemset_ptds", [] { cudaMemset_ptds(nullptr, 0, 8); }},
      {"cudaMemsetAsync", [] { cudaMemsetAsync(nullptr, 0, 8, nullptr); }},
      {"cudaMemsetAsync_ptsz", [] { cudaMemsetAsync_ptsz(nullptr, 0, 8, nullptr); }},
  };
}

}  // namespace gridlock::driver
