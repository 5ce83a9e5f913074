// A kernel that does nothing. CUDA loads it at its first launch, which therefore waits for all that
// is on the device.
#pragma once

#include <cuda.h>

#include "tests/adversarial/setup/job.h"

class UnloadedKernel {
 public:
  UnloadedKernel() {
    constexpr const char* kNothing = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 number)
{
  ret;
}
)";
    CUmodule module = nullptr;
    if (cuModuleLoadData(&module, kNothing) != CUDA_SUCCESS) std::_Exit(5);
    if (cuModuleGetFunction(&function_, module, "nothing") != CUDA_SUCCESS) std::_Exit(6);
  }
  // `number`: where the launch reads the kernel's argument; null: anywhere.
  void launch(cudaStream_t stream, void* number = nullptr) const {
    unsigned long long any = 0;
    void* arguments[] = {number == nullptr ? &any : number};
    const CUresult result =
        cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    if (result != CUDA_SUCCESS) std::_Exit(8);
  }

 private:
  CUfunction function_ = nullptr;
};
