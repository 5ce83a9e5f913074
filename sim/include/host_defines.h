// The execution space words of CUDA C++. They mean nothing to a host compiler.
#pragma once

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
