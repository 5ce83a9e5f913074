// The runtime's calls about kernels and device variables.
#include <cuda_runtime_api.h>

#include <cstddef>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/kernels/attributes.h"
#include "sim/cuda/kernels/launch.h"
#include "sim/cuda/kernels/registry.h"

using sim::api;
namespace kernels = sim::kernels;

namespace {

// `symbol` is the host's stand-in for a kernel, or a handle from cudaGetFuncBySymbol.
template <class Body>
cudaError_t with_kernel(const void* symbol, Body body) {
  return api([&] {
    kernels::Function* function = kernels::registered(symbol);
    return function == nullptr ? cudaErrorInvalidDeviceFunction : body(*function);
  });
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, cudaStream_t stream) {
  return with_kernel(func, [&](kernels::Function& function) {
    return kernels::launch(function, {gridDim, blockDim, sharedMem}, args, nullptr, stream);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return with_kernel(func, [&](kernels::Function& function) {
    if (config == nullptr) return cudaErrorInvalidValue;
    return kernels::launch_with_attributes(
        function, {config->gridDim, config->blockDim, config->dynamicSmemBytes}, config->attrs,
        config->numAttrs, args, nullptr, config->stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  const cudaLaunchConfig_t config{gridDim, blockDim, sharedMem, stream, &cooperative, 1};
  return cudaLaunchKernelExC(&config, func, args);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return with_kernel(func, [&](kernels::Function& function) {
    return attr == nullptr ? cudaErrorInvalidValue : kernels::attributes_of(function, *attr);
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return with_kernel(func, [&](kernels::Function& function) {
    return kernels::set_attribute(function, attr, value);
  });
}

// Does nothing, because there is no cache.
cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache) {
  return with_kernel(func, [](kernels::Function&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return with_kernel(func, [&](kernels::Function& function) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = function.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  return with_kernel(symbolPtr, [&](kernels::Function& function) {
    if (functionPtr == nullptr) return cudaErrorInvalidValue;
    *functionPtr = reinterpret_cast<cudaFunction_t>(&function);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                          int blockSize, size_t dynamicSMemSize) {
  return with_kernel(func, [&](kernels::Function& function) {
    if (numBlocks == nullptr || blockSize <= 0) return cudaErrorInvalidValue;
    return kernels::explained(cudaErrorInvalidDeviceFunction, [&] {
      *numBlocks = kernels::blocks_at_once(function.load().kernel, blockSize, dynamicSMemSize);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return api([&] {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    return kernels::find_variable(symbol, devPtr, nullptr);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api([&] {
    if (size == nullptr) return cudaErrorInvalidValue;
    return kernels::find_variable(symbol, nullptr, size);
  });
}

namespace {

// The address at `offset` in the variable, if all `count` bytes from there are inside it.
cudaError_t part_of(const void* symbol, std::size_t count, std::size_t offset, std::byte** place) {
  void* address = nullptr;
  std::size_t bytes = 0;
  if (const cudaError_t error = kernels::find_variable(symbol, &address, &bytes);
      error != cudaSuccess) {
    return error;
  }
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  *place = static_cast<std::byte*>(address) + offset;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return api([&] {
    std::byte* place = nullptr;
    const cudaError_t error = part_of(symbol, count, offset, &place);
    return error != cudaSuccess ? error : cudaMemcpy(place, src, count, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return api([&] {
    std::byte* place = nullptr;
    const cudaError_t error = part_of(symbol, count, offset, &place);
    return error != cudaSuccess ? error : cudaMemcpy(dst, place, count, kind);
  });
}
