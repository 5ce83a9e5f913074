// Rank 1 skips an all-reduce of four ranks, and waits for the next broadcast by rank 0. The others
// launch a kernel for the first time, beside the all-reduce, and so wait in the launch. Naive view:
// who is in a launch is stuck in host code. Expected: deadlock; rank 1 is missing.
#include <cuda.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1}).assuming("launch"), .ranks = 4};

constexpr const char* kKernel = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 number)
{
  ret;
}
)";

int program(int, char**) {
  const Two two;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuModuleLoadData(&module, kKernel) != CUDA_SUCCESS) return 5;
  if (cuModuleGetFunction(&kernel, module, "nothing") != CUDA_SUCCESS) return 6;
  cudaStream_t side = make_stream();
  if (rank() != 1) {
    all_reduce(two.first, two.on_first, two.x);
    unsigned long long number = 0;
    void* arguments[] = {&number};
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, side, arguments, nullptr) != CUDA_SUCCESS)
      return 8;
    check(cudaStreamSynchronize(side));
  }
  check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, two.on_second));
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
