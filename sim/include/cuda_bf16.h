// __nv_bfloat16: the upper half of a float. Arithmetic goes through float.
#pragma once

#include <cuda_fp16.h>
#include <stdint.h>
#include <string.h>

#define __CUDA_BF16_TYPES_EXIST__

typedef struct {
  unsigned short x;
} __nv_bfloat16_raw;

#ifdef __cplusplus

inline __host__ __device__ float gridlock_sim_bfloat16_to_float(uint16_t value) {
  const uint32_t bits = static_cast<uint32_t>(value) << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

// Round to nearest, ties to even.
inline __host__ __device__ uint16_t gridlock_sim_float_to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // NaN
  bits += 0x7fffu + ((bits >> 16) & 1u);
  return static_cast<uint16_t>(bits >> 16);
}

struct alignas(2) __nv_bfloat16 {
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float value) : __x(gridlock_sim_float_to_bfloat16(value)) {}
  __host__ __device__ __nv_bfloat16(double value)
      : __nv_bfloat16(gridlock_sim_double_to_float(value)) {}
  __host__ __device__ __nv_bfloat16(int value) : __nv_bfloat16(static_cast<double>(value)) {}
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return gridlock_sim_bfloat16_to_float(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }

 protected:
  unsigned short __x;
};
typedef __nv_bfloat16 nv_bfloat16;

inline __host__ __device__ __nv_bfloat16 __float2bfloat16(float value) {
  return __nv_bfloat16(value);
}
inline __host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __nv_bfloat16(value);
}
inline __host__ __device__ __nv_bfloat16 __double2bfloat16(double value) {
  return __nv_bfloat16(value);
}
inline __host__ __device__ float __bfloat162float(__nv_bfloat16 value) {
  return static_cast<float>(value);
}
inline __host__ __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
inline __host__ __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return static_cast<__nv_bfloat16_raw>(value).x;
}

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x;
  __nv_bfloat16 y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
};
typedef __nv_bfloat162 nv_bfloat162;

inline __host__ __device__ float2 __bfloat1622float2(__nv_bfloat162 pair) {
  return float2{static_cast<float>(pair.x), static_cast<float>(pair.y)};
}
inline __host__ __device__ __nv_bfloat162 __float22bfloat162_rn(float2 pair) {
  return __nv_bfloat162(__nv_bfloat16(pair.x), __nv_bfloat16(pair.y));
}

#ifdef __CUDA__
GRIDLOCK_SIM_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, "bf16")
#endif

#endif
