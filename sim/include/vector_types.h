// The vector types of CUDA. Vectors of two and four are aligned to their size, 16 bytes at most.
#pragma once

#include <host_defines.h>

#define GRIDLOCK_SIM_VECTORS(name, type, align2, align4) \
  struct name##1 {                                       \
    type x;                                              \
  };                                                     \
  struct __attribute__((aligned(align2))) name##2 {      \
    type x, y;                                           \
  };                                                     \
  struct name##3 {                                       \
    type x, y, z;                                        \
  };                                                     \
  struct __attribute__((aligned(align4))) name##4 {      \
    type x, y, z, w;                                     \
  };                                                     \
  typedef struct name##1 name##1;                        \
  typedef struct name##2 name##2;                        \
  typedef struct name##3 name##3;                        \
  typedef struct name##4 name##4;

GRIDLOCK_SIM_VECTORS(char, signed char, 2, 4)
GRIDLOCK_SIM_VECTORS(uchar, unsigned char, 2, 4)
GRIDLOCK_SIM_VECTORS(short, short, 4, 8)
GRIDLOCK_SIM_VECTORS(ushort, unsigned short, 4, 8)
GRIDLOCK_SIM_VECTORS(int, int, 8, 16)
GRIDLOCK_SIM_VECTORS(uint, unsigned int, 8, 16)
GRIDLOCK_SIM_VECTORS(long, long, 16, 16)
GRIDLOCK_SIM_VECTORS(ulong, unsigned long, 16, 16)
GRIDLOCK_SIM_VECTORS(longlong, long long, 16, 16)
GRIDLOCK_SIM_VECTORS(ulonglong, unsigned long long, 16, 16)
GRIDLOCK_SIM_VECTORS(float, float, 8, 16)
GRIDLOCK_SIM_VECTORS(double, double, 16, 16)

#undef GRIDLOCK_SIM_VECTORS

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int width = 1, unsigned int height = 1,
                                     unsigned int depth = 1)
      : x(width), y(height), z(depth) {}
  __host__ __device__ constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
