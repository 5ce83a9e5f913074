// Kernels and their attributes.
#include "sim/cuda/kernels/function.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"

namespace sim::kernels {
namespace {

constexpr int kPtxVersion = 80;
constexpr int kBinaryVersion = 90;
constexpr std::uint32_t kBytesOfRegister = 4 * ptx::kLanes;  // a row of 32 bits for each lane
constexpr int kMostRegisters = 255;
constexpr int kBlocksOfAll = 32;

bool loading_is_lazy() {
  static const bool is_lazy = [] {
    const char* text = std::getenv("CUDA_MODULE_LOADING");
    return text == nullptr || std::string_view(text) != "EAGER";
  }();
  return is_lazy;
}

}  // namespace

Function::Loaded Function::load() const {
  const ptx::Program& program = image->program_with(name);
  const ptx::Function* kernel = program.kernel(name);
  if (kernel == nullptr) throw ptx::Refused("the device code has no kernel '" + name + "'");
  return {program, *kernel};
}

const ptx::Function* Function::at_hand() const {
  const ptx::Program* program = image->program_at_hand(name);
  return program == nullptr ? nullptr : &load().kernel;
}

void wait_for_load(Function& function) {
  if (!loading_is_lazy() || !function.image->loads_lazily()) return;
  if (any_capture()) return;  // the work that it would wait for is not being run
  if (function.is_loaded.load()) return;
  synchronize(current_device());
  function.is_loaded.store(true);
}

Function* find(cudaFunction_t handle) {
  if (handle == nullptr || reinterpret_cast<std::uintptr_t>(handle) % alignof(Function) != 0) {
    return nullptr;
  }
  auto* function = reinterpret_cast<Function*>(handle);
  return function->alive == Function::kAlive ? function : nullptr;
}

cudaError_t explained(cudaError_t error, const std::function<cudaError_t()>& body) {
  try {
    return body();
  } catch (const ptx::Refused& refused) {
    std::fprintf(stderr, "gridlock-sim: %s\n", refused.what());
    return error;
  }
}

cudaError_t attributes_of(Function& function, cudaFuncAttributes& attributes) {
  return explained(cudaErrorInvalidDeviceFunction, [&] {
    attributes = {};
    wait_for_load(function);
    if (const ptx::Function* kernel = function.at_hand()) {
      attributes.sharedSizeBytes = kernel->static_shared_bytes;
      attributes.localSizeBytes = kernel->local_bytes;
      attributes.numRegs =
          std::min(static_cast<int>(kernel->frame_bytes / kBytesOfRegister), kMostRegisters);
    }
    attributes.maxThreadsPerBlock = kMostThreads;
    attributes.ptxVersion = kPtxVersion;
    attributes.binaryVersion = kBinaryVersion;
    attributes.maxDynamicSharedSizeBytes = function.dynamic_shared.load();
    attributes.preferredShmemCarveout = -1;  // the driver's choice
    return cudaSuccess;
  });
}

cudaError_t set_attribute(Function& function, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      return explained(cudaErrorInvalidDeviceFunction, [&] {
        const ptx::Function* kernel = function.at_hand();
        const std::uint32_t fixed = kernel == nullptr ? 0 : kernel->static_shared_bytes;
        if (value < 0 || fixed > kMostShared ||
            static_cast<std::uint32_t>(value) > kMostShared - fixed) {
          return cudaErrorInvalidValue;
        }
        function.dynamic_shared.store(value);
        return cudaSuccess;
      });
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint
      return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:  // where blocks lie makes no
                                                              // difference
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

int blocks_at_once(const ptx::Function& kernel, int threads, std::size_t dynamic_shared) {
  if (threads < 1 || threads > kMostThreads) return 0;
  const std::size_t shared = dynamic_shared == 0 ? kernel.static_shared_bytes
                                                 : kernel.dynamic_shared_offset + dynamic_shared;
  const int warps = (threads + 31) / 32;
  int blocks = std::min(kBlocksOfAll, kThreadsOfAll / (warps * 32));
  if (shared > kMostShared) return 0;
  if (shared != 0) blocks = std::min(blocks, static_cast<int>(kSharedOfAll / shared));
  return blocks;
}

}  // namespace sim::kernels
