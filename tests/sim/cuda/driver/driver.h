// The driver's functions by name.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/sim/cuda/check.h"

namespace sim_test {

template <class Function>
Function* entry(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION < 12050  // older toolkits lack the other call
  check(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#else
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
#endif
  EXPECT_EQ(found, cudaDriverEntryPointSuccess) << name;
  return reinterpret_cast<Function*>(function);
}

}  // namespace sim_test
