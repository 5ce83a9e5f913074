// Rank 0 launches a kernel by the driver on the legacy stream (setup/between.h).
// Naive view: the launch is not recorded, so nothing comes between the two blocking streams.
// Expected: deadlock; a cycle of both.
#include <cuda.h>

#include "tests/adversarial/setup/between.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

constexpr const char* kKernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\n  ret;\n}\n";

int program(int, char**) {
  Two two(cudaStreamDefault);
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuModuleLoadData(&module, kKernel) != CUDA_SUCCESS) return 5;
  if (cuModuleGetFunction(&kernel, module, "nothing") != CUDA_SUCCESS) return 6;
  const auto launch = [&] {
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != 0) std::_Exit(7);
  };
  launch();
  check(cudaDeviceSynchronize());
  return tell_behind(two, false, launch);
}
