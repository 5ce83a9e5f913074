// make_int2 and similar functions.
#pragma once

#include <vector_types.h>

#ifdef __cplusplus
#define GRIDLOCK_SIM_MAKE(name, type)                                                         \
  static __host__ __device__ __forceinline__ name##1 make_##name##1(type x) {                 \
    return name##1 {x};                                                                       \
  }                                                                                           \
  static __host__ __device__ __forceinline__ name##2 make_##name##2(type x, type y) {         \
    return name##2 {x, y};                                                                    \
  }                                                                                           \
  static __host__ __device__ __forceinline__ name##3 make_##name##3(type x, type y, type z) { \
    return name##3 {x, y, z};                                                                 \
  }                                                                                           \
  static __host__ __device__ __forceinline__ name##4 make_##name##4(type x, type y, type z,   \
                                                                    type w) {                 \
    return name##4 {x, y, z, w};                                                              \
  }

GRIDLOCK_SIM_MAKE(char, signed char)
GRIDLOCK_SIM_MAKE(uchar, unsigned char)
GRIDLOCK_SIM_MAKE(short, short)
GRIDLOCK_SIM_MAKE(ushort, unsigned short)
GRIDLOCK_SIM_MAKE(int, int)
GRIDLOCK_SIM_MAKE(uint, unsigned int)
GRIDLOCK_SIM_MAKE(long, long)
GRIDLOCK_SIM_MAKE(ulong, unsigned long)
GRIDLOCK_SIM_MAKE(longlong, long long)
GRIDLOCK_SIM_MAKE(ulonglong, unsigned long long)
GRIDLOCK_SIM_MAKE(float, float)
GRIDLOCK_SIM_MAKE(double, double)

#undef GRIDLOCK_SIM_MAKE
#endif
