// A kernel as the program names it: what cudaFunction_t and CUfunction point to.
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

// Never freed while its module lives. Handles are checked by `alive`.
struct Function {
  static constexpr std::uint64_t kAlive = 0x6c656e72656b6d69;
  std::uint64_t alive = kAlive;
  std::shared_ptr<Image> image;
  std::string name;
  std::atomic<int> dynamic_shared{static_cast<int>(kShared)};  // bytes it may have

  // Loaded at the first use. Throws ptx::Refused.
  struct Loaded {
    const ptx::Program& program;
    const ptx::Function& kernel;
  };
  Loaded load() const;
  // Null where it is not loaded and loading takes long. Throws ptx::Refused.
  const ptx::Function* at_hand() const;
};

// Null where the handle is none.
Function* find(cudaFunction_t handle);

// A refusal becomes `error` and a sentence on stderr.
cudaError_t explained(cudaError_t error, const std::function<cudaError_t()>& body);

// NCCL asks this of all its kernels when it makes a communicator. Of a kernel whose module is not
// made yet, sizes are 0: they are not known, and the interpreter needs none of them beforehand.
cudaError_t attributes_of(const Function& function, cudaFuncAttributes& attributes);
cudaError_t set_attribute(Function& function, cudaFuncAttribute attribute, int value);

// Blocks of this kernel that fit on a multiprocessor side by side.
int blocks_at_once(const ptx::Function& kernel, int threads, std::size_t dynamic_shared);

}  // namespace sim::kernels
