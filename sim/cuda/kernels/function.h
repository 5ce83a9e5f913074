// A kernel as the program sees it: what cudaFunction_t and CUfunction point to.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/cuda/kernels/image.h"
#include "sim/cuda/kernels/limits.h"

namespace sim::kernels {

// Never freed while its module lives. `alive` tells a valid handle from an invalid one.
struct Function {
  static constexpr std::uint64_t kAlive = 0x6c656e72656b6d69;
  std::uint64_t alive = kAlive;
  std::shared_ptr<Image> image;
  std::string name;
  std::atomic<int> dynamic_shared{static_cast<int>(kShared)};  // bytes it may have
  std::atomic<bool> is_loaded = false;                         // see wait_for_load()

  // A kernel is loaded at its first use. Throws ptx::Refused.
  struct Loaded {
    const ptx::Program& program;
    const ptx::Function& kernel;
  };
  Loaded load() const;
  // Null if it is not loaded and loading would take long. Throws ptx::Refused.
  const ptx::Function* at_hand() const;
};

// CUDA loads a kernel at its first use, and may wait for the device until it can; here it always
// waits. With CUDA_MODULE_LOADING=EAGER, kernels are loaded at the program's start.
//   Blocks   at the first call, until all work on the current device is done
void wait_for_load(Function& function);

// Null if the handle is invalid.
Function* find(cudaFunction_t handle);

// Runs `body`. If it throws ptx::Refused, prints the reason on stderr and returns `error`.
cudaError_t explained(cudaError_t error, const std::function<cudaError_t()>& body);

// Loads the kernel. NCCL calls this for all its kernels when it makes a communicator. If a kernel's
// module is not made yet, its sizes are unknown and reported as 0. The interpreter does not need
// them in advance.
cudaError_t attributes_of(Function& function, cudaFuncAttributes& attributes);
cudaError_t set_attribute(Function& function, cudaFuncAttribute attribute, int value);

// How many blocks of this kernel fit on a multiprocessor at the same time.
int blocks_at_once(const ptx::Function& kernel, int threads, std::size_t dynamic_shared);

}  // namespace sim::kernels
