// check(call): the one way in which scenarios look at a CUDA or NCCL result.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <stdexcept>

#include "scenarios/runtime/source_location.h"

namespace gridlock {

// What a call returned, in one sentence with the place of the call. Only `main` catches it.
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
