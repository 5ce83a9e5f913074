// The driver's codes. They equal the runtime's, so the sentences do too.
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace {

struct ErrorName {
  CUresult error;
  const char* name;
};

#define SIM_NAME(error) \
  ErrorName { error, #error }
constexpr ErrorName kErrors[] = {
    SIM_NAME(CUDA_SUCCESS),
    SIM_NAME(CUDA_ERROR_INVALID_VALUE),
    SIM_NAME(CUDA_ERROR_OUT_OF_MEMORY),
    SIM_NAME(CUDA_ERROR_NOT_INITIALIZED),
    SIM_NAME(CUDA_ERROR_DEINITIALIZED),
    SIM_NAME(CUDA_ERROR_NO_DEVICE),
    SIM_NAME(CUDA_ERROR_INVALID_DEVICE),
    SIM_NAME(CUDA_ERROR_INVALID_CONTEXT),
    SIM_NAME(CUDA_ERROR_INVALID_HANDLE),
    SIM_NAME(CUDA_ERROR_NOT_FOUND),
    SIM_NAME(CUDA_ERROR_NOT_READY),
    SIM_NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    SIM_NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    SIM_NAME(CUDA_ERROR_NOT_PERMITTED),
    SIM_NAME(CUDA_ERROR_NOT_SUPPORTED),
    SIM_NAME(CUDA_ERROR_UNKNOWN),
    SIM_NAME(CUDA_ERROR_STUB_LIBRARY),
    SIM_NAME(CUDA_ERROR_INVALID_IMAGE),
    SIM_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
    SIM_NAME(CUDA_ERROR_INVALID_PTX),
    SIM_NAME(CUDA_ERROR_INVALID_SOURCE),
    SIM_NAME(CUDA_ERROR_FILE_NOT_FOUND),
    SIM_NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
    SIM_NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    SIM_NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    SIM_NAME(CUDA_ERROR_MISALIGNED_ADDRESS),
    SIM_NAME(CUDA_ERROR_LAUNCH_FAILED),
};
#undef SIM_NAME

}  // namespace

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pStr = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pStr = nullptr;
  for (const ErrorName& entry : kErrors) {
    if (entry.error == error) *pStr = entry.name;
  }
  return *pStr == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
