// Rank 0's new worker first launches a kernel that must be loaded, and so waits for an all-reduce
// that rank 1 joins only after the worker's broadcast. The worker has made no other call; the main
// thread joins it. Naive view: a thread that is in no box may still do anything. Expected:
// deadlock; a cycle of both.
#include <cuda.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("launch")};

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
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  all_reduce(two.first, two.on_first, two.x);
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    unsigned long long number = 0;
    void* arguments[] = {&number};
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, side, arguments, nullptr) != CUDA_SUCCESS)
      std::_Exit(8);
    two.tell();
  });
  worker.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
