// __half: IEEE binary16. The host converts to and from float in software, and its arithmetic goes
// through float; device code has instructions for both.
#pragma once

#include <gridlock_sim/device.h>
#include <stdint.h>
#include <string.h>
#include <vector_types.h>

typedef struct {
  unsigned short x;
} __half_raw;

#ifdef __cplusplus

inline __host__ __device__ float gridlock_sim_half_to_float(uint16_t half) {
#ifdef __CUDA_ARCH__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t fraction = half & 0x3ffu;
  float value;
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24
    value = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  const uint32_t bits = exponent == 31 ? sign | 0x7f800000u | (fraction << 13)
                                       : sign | ((exponent + 112) << 23) | (fraction << 13);
  memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

// Round to nearest, ties to even.
inline __host__ __device__ uint16_t gridlock_sim_float_to_half(float value) {
#ifdef __CUDA_ARCH__
  uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;                                  // NaN
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // infinity
  if (magnitude < 0x33000000u) return static_cast<uint16_t>(sign);             // zero
  const uint32_t exponent = magnitude >> 23;
  const bool subnormal = exponent < 113;
  const uint32_t fraction = (magnitude & 0x7fffffu) | (subnormal ? 0x800000u : 0u);
  const uint32_t shift = subnormal ? 126 - exponent : 13;
  uint32_t half = fraction >> shift;
  if (!subnormal) half |= (exponent - 112) << 10;
  const uint32_t rest = fraction & ((1u << shift) - 1);
  const uint32_t tie = 1u << (shift - 1);
  if (rest > tie || (rest == tie && (half & 1u) != 0)) ++half;
  return static_cast<uint16_t>(sign | half);
#endif
}

// Rounds to odd, which keeps what a second rounding to nearest must know. Two roundings to nearest
// would round some numbers up that lie below a tie.
inline __host__ __device__ float gridlock_sim_double_to_float(double value) {
  float result = static_cast<float>(value);
  const double rounded = result;
  if (rounded == value || value != value) return result;
  uint32_t bits;
  memcpy(&bits, &result, sizeof bits);
  const bool is_beyond = value < 0 ? rounded < value : rounded > value;
  bits = (is_beyond ? bits - 1 : bits) | 1u;
  memcpy(&result, &bits, sizeof result);
  return result;
}

struct alignas(2) __half {
  __half() = default;
  __host__ __device__ __half(float value) : __x(gridlock_sim_float_to_half(value)) {}
  __host__ __device__ __half(double value) : __half(gridlock_sim_double_to_float(value)) {}
  __host__ __device__ __half(int value) : __half(static_cast<double>(value)) {}
  __host__ __device__ __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return gridlock_sim_half_to_float(__x); }
  __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }

 protected:
  unsigned short __x;
};
typedef __half half;

inline __host__ __device__ __half __float2half(float value) { return __half(value); }
inline __host__ __device__ __half __float2half_rn(float value) { return __half(value); }
inline __host__ __device__ __half __double2half(double value) { return __half(value); }
// What a double rounds is far above the largest half.
inline __host__ __device__ __half __ull2half_rn(unsigned long long value) {
  return __half(static_cast<double>(value));
}
inline __host__ __device__ float __half2float(__half value) { return static_cast<float>(value); }
inline __host__ __device__ __half __ushort_as_half(unsigned short bits) {
  return __half(__half_raw{bits});
}
inline __host__ __device__ unsigned short __half_as_ushort(__half value) {
  return static_cast<__half_raw>(value).x;
}

struct alignas(4) __half2 {
  __half x;
  __half y;
  __half2() = default;
  __host__ __device__ __half2(__half low, __half high) : x(low), y(high) {}
};
typedef __half2 half2;
struct __half2_raw {
  unsigned short x;
  unsigned short y;
};

inline __host__ __device__ float2 __half22float2(__half2 pair) {
  return float2{static_cast<float>(pair.x), static_cast<float>(pair.y)};
}
inline __host__ __device__ __half2 __floats2half2_rn(float low, float high) {
  return __half2(__half(low), __half(high));
}
inline __host__ __device__ __half2 __float22half2_rn(float2 pair) {
  return __floats2half2_rn(pair.x, pair.y);
}
inline __host__ __device__ __half2 __float2half2_rn(float both) {
  return __floats2half2_rn(both, both);
}

#ifdef __CUDA__
// Arithmetic of device code: one instruction for one or for two values.
#define GRIDLOCK_SIM_SMALL(function, type, text)                          \
  GRIDLOCK_SIM_DEVICE type function(type a, type b) {                     \
    unsigned short r{};                                                   \
    GRIDLOCK_SIM_TEXT(asm(text " %0, %1, %2;"                             \
                          : "=h"(r)                                       \
                          : "h"(__builtin_bit_cast(unsigned short, a)),   \
                            "h"(__builtin_bit_cast(unsigned short, b)))); \
    return __builtin_bit_cast(type, r);                                   \
  }
#define GRIDLOCK_SIM_PAIR(function, type, text)                                             \
  GRIDLOCK_SIM_DEVICE type function(type a, type b) {                                       \
    unsigned r{};                                                                           \
    GRIDLOCK_SIM_TEXT(                                                                      \
        asm(text " %0, %1, %2;"                                                             \
            : "=r"(r)                                                                       \
            : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)))); \
    return __builtin_bit_cast(type, r);                                                     \
  }
#define GRIDLOCK_SIM_ARITHMETIC(type, pair, letters)    \
  GRIDLOCK_SIM_SMALL(__hadd, type, "add." letters)      \
  GRIDLOCK_SIM_SMALL(__hsub, type, "sub." letters)      \
  GRIDLOCK_SIM_SMALL(__hmul, type, "mul." letters)      \
  GRIDLOCK_SIM_SMALL(__hmin, type, "min." letters)      \
  GRIDLOCK_SIM_SMALL(__hmax, type, "max." letters)      \
  GRIDLOCK_SIM_PAIR(__hadd2, pair, "add." letters "x2") \
  GRIDLOCK_SIM_PAIR(__hsub2, pair, "sub." letters "x2") \
  GRIDLOCK_SIM_PAIR(__hmul2, pair, "mul." letters "x2") \
  GRIDLOCK_SIM_PAIR(__hmin2, pair, "min." letters "x2") \
  GRIDLOCK_SIM_PAIR(__hmax2, pair, "max." letters "x2")
GRIDLOCK_SIM_ARITHMETIC(__half, __half2, "f16")
#endif

#endif
