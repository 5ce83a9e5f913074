// Checks that a test's CUDA call succeeds.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace sim_test {

inline void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

}  // namespace sim_test
