// check(call): how every scenario checks the result of a CUDA or NCCL call.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <stdexcept>

#include "scenarios/runtime/source_location.h"

namespace gridlock {

// Says in one sentence what a call returned and where the call stands. Only `main` catches it.
struct CallError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CudaError : CallError {
  CudaError(cudaError_t code_, SourceLocation where);
  cudaError_t code;
};
struct NcclError : CallError {
  NcclError(ncclResult_t code_, SourceLocation where);
  ncclResult_t code;
};

inline void check(cudaError_t result, SourceLocation where = SourceLocation::current()) {
  if (result != cudaSuccess) throw CudaError(result, where);
}

inline void check(ncclResult_t result, SourceLocation where = SourceLocation::current()) {
  if (result != ncclSuccess) throw NcclError(result, where);
}

}  // namespace gridlock
