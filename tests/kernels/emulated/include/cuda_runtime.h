// What a host compiler needs to compile the kernels' CUDA sources: CUDA's keywords and functions,
// on the emulated grid.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/kernels/emulated/grid.h"

#define __global__
#define __device__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __restrict__ __restrict
#define threadIdx gridlock::emulated::thread_index()
#define blockIdx gridlock::emulated::block_index()
#define blockDim gridlock::emulated::block_size()
#define gridDim gridlock::emulated::grid_size()

using std::isfinite;
using std::isnan;
using std::max;
using std::min;

inline void __syncthreads() { gridlock::emulated::wait_for_block(); }
inline int __syncthreads_or(int vote) { return gridlock::emulated::any_of_block(vote != 0); }
inline float __shfl_xor_sync(unsigned /*lanes*/, float value, int mask) {
  return gridlock::emulated::value_of_lane(value, gridlock::emulated::lane() ^ mask);
}
inline float __shfl_down_sync(unsigned /*lanes*/, float value, int offset) {
  return gridlock::emulated::value_of_lane(value, gridlock::emulated::lane() + offset);
}
inline int atomicExch(int* word, int value) { return std::exchange(*word, value); }

// As inaccurate as the device's may be: two ulp.
inline float __fdividef(float a, float b) { return a / b * (1.0F + 1.2e-7F); }
