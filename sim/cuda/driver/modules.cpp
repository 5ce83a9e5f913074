// PTX modules, their kernels and variables, and launches.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/driver/results.h"
#include "sim/cuda/kernels/attributes.h"
#include "sim/cuda/kernels/launch.h"
#include "sim/cuda/kernels/registry.h"

using sim::driver;
namespace kernels = sim::kernels;

// What a CUmodule points to. Unloaded modules are kept, because their kernels may still run.
struct CUmod_st {
  std::shared_ptr<kernels::Image> image;
  std::mutex mutex;
  std::map<std::string, kernels::Function, std::less<>> functions;  // guarded by mutex
  bool loaded = true;                                               // guarded by mutex
};

namespace {

// Asks for a name that does not exist, so that the whole text is parsed now, as the driver does.
CUresult load(CUmodule* module, std::unique_ptr<kernels::Image> image) {
  static_cast<void>(image->program_with(""));
  auto made = std::make_unique<CUmod_st>();
  made->image = std::move(image);
  *module = made.release();
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_function(CUfunction handle, Body body) {
  return driver(sim::api([&] {
    kernels::Function* function = kernels::find(handle);
    return function == nullptr ? cudaErrorInvalidResourceHandle : body(*function);
  }));
}

}  // namespace

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  if (module == nullptr || fname == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(fname);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  std::stringstream text;
  text << file.rdbuf();
  return driver(kernels::explained(cudaErrorInvalidPtx, [&] {
    return static_cast<cudaError_t>(load(module, kernels::image_of(text.str(), fname)));
  }));
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return driver(kernels::explained(cudaErrorInvalidPtx, [&] {
    return static_cast<cudaError_t>(load(module, kernels::image_at(image)));
  }));
}

// The options are for the JIT compiler, so they are ignored.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*,
                            void**) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule hmod) {
  if (hmod == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(hmod->mutex);
  if (!hmod->loaded) return CUDA_ERROR_INVALID_HANDLE;
  hmod->loaded = false;
  for (auto& [name, function] : hmod->functions) function.alive = 0;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  if (hfunc == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (hmod == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(hmod->mutex);
  if (!hmod->loaded) return CUDA_ERROR_INVALID_HANDLE;
  if (hmod->image->program_with(name).kernel(name) == nullptr) return CUDA_ERROR_NOT_FOUND;
  kernels::Function& function = hmod->functions[name];
  function.image = hmod->image;
  function.name = name;
  *hfunc = reinterpret_cast<CUfunction>(&function);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (hmod == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const auto variable = hmod->image->program_with(name).variable(name);
  if (!variable) return CUDA_ERROR_NOT_FOUND;
  kernels::expose(*variable);
  if (dptr != nullptr) *dptr = reinterpret_cast<CUdeviceptr>(variable->address);
  if (bytes != nullptr) *bytes = variable->bytes;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return with_function(hfunc, [&](kernels::Function& function) {
    cudaFuncAttributes all;
    if (pi == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = kernels::attributes_of(function, all); error != cudaSuccess) {
      return error;
    }
    switch (attrib) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *pi = all.maxThreadsPerBlock;
        break;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *pi = static_cast<int>(all.sharedSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *pi = static_cast<int>(all.constSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *pi = static_cast<int>(all.localSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *pi = all.numRegs;
        break;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *pi = all.ptxVersion;
        break;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *pi = all.binaryVersion;
        break;
      case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *pi = all.cacheModeCA;
        break;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *pi = all.maxDynamicSharedSizeBytes;
        break;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *pi = all.preferredShmemCarveout;
        break;
      default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return with_function(hfunc, [&](kernels::Function& function) {
    return kernels::set_attribute(function, static_cast<cudaFuncAttribute>(attrib), value);
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return with_function(hfunc, [&](kernels::Function& function) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = function.name.c_str();
    return cudaSuccess;
  });
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  return with_function(f, [&](kernels::Function& function) {
    return kernels::launch(
        function,
        {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes},
        kernelParams, extra, hStream);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  return with_function(f, [&](kernels::Function& function) {
    if (config == nullptr) return cudaErrorInvalidValue;
    const kernels::Shape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                               {config->blockDimX, config->blockDimY, config->blockDimZ},
                               config->sharedMemBytes};
    // The driver's attributes have the runtime's layout and numbers.
    return kernels::launch_with_attributes(
        function, shape, reinterpret_cast<const cudaLaunchAttribute*>(config->attrs),
        config->numAttrs, kernelParams, extra, config->hStream);
  });
}
