// CUDA C++'s execution space specifiers: attributes if clang compiles CUDA, otherwise nothing.
#pragma once

#ifdef __CUDA__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __maxnreg__(n)  // here a thread has all the registers that it wants
#define __noinline__ __attribute__((noinline))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __maxnreg__(n)
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_CB
#define CUDARTAPI
#define CUDAAPI
