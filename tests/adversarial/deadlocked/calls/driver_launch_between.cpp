// Rank 0 has an all-reduce on a blocking stream, launches a kernel by the driver (cuLaunchKernel)
// on the legacy stream, and tells rank 1 on another blocking stream. Only then does rank 1 come.
// Naive view: the launch is not recorded, so nothing comes between the two streams.
// Expected: deadlock; a cycle of both.
#include <cuda.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

constexpr const char* kKernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\n  ret;\n}\n";

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaStream_t other = make_stream(cudaStreamDefault);
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuModuleLoadData(&module, kKernel) != CUDA_SUCCESS) return 5;
  if (cuModuleGetFunction(&kernel, module, "nothing") != CUDA_SUCCESS) return 6;
  if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != 0) return 7;
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != 0) return 7;
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, other));
    check(cudaStreamSynchronize(other));
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
