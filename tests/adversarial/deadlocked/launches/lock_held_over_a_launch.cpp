// Rank 0's main thread holds its device's lock while it launches a kernel for the first time, which
// loads the kernel and so waits for the device: for an all-reduce that rank 1 joins later. Rank 0's
// other thread needs the lock to call the broadcast in which rank 1 waits. Naive view: who sleeps
// at a lock may get it. Expected: deadlock; a cycle of both.
#include <cuda.h>

#include <mutex>
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
  std::mutex device;
  std::thread teller;
  {
    const std::scoped_lock lock(device);
    teller = std::thread([&] {
      check(cudaSetDevice(rank()));
      check(cudaStreamSynchronize(two.on_second));
      const std::scoped_lock mine(device);
      two.tell();
    });
    all_reduce(two.first, two.on_first, two.x);
    pause_ms(50);
    unsigned long long number = 0;
    void* arguments[] = {&number};
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, side, arguments, nullptr) != CUDA_SUCCESS)
      return 8;
  }
  teller.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
