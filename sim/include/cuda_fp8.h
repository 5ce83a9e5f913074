// The 8-bit floating point types. Device code converts with PTX instructions. The host rounds to
// nearest (ties to even) and saturates, as these instructions do.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };

#ifdef __cplusplus

// The bit layout of a format.
struct gridlock_sim_fp8 {
  int mantissa_bits;
  int bias;
  unsigned char largest;  // the code of the largest finite value
};
inline __host__ __device__ gridlock_sim_fp8 gridlock_sim_fp8_of(__nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? gridlock_sim_fp8{3, 7, 0x7e} : gridlock_sim_fp8{2, 15, 0x7b};
}

inline __host__ __device__ float gridlock_sim_fp8_to_float(unsigned char code,
                                                           __nv_fp8_interpretation_t kind) {
#ifdef __CUDA_ARCH__
  unsigned pair;
  if (kind == __NV_E4M3) {
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)code));
  } else {
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)code));
  }
  return gridlock_sim_half_to_float((unsigned short)pair);
#else
  const gridlock_sim_fp8 format = gridlock_sim_fp8_of(kind);
  const unsigned magnitude = code & 0x7fu;
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const unsigned mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  float value;
  if (magnitude > format.largest) {
    const bool infinite = kind == __NV_E5M2 && mantissa == 0;
    value = infinite ? __builtin_inff() : __builtin_nanf("");
  } else if (exponent == 0) {
    value = __builtin_ldexpf(static_cast<float>(mantissa), 1 - format.bias - format.mantissa_bits);
  } else {
    value = __builtin_ldexpf(static_cast<float>((1u << format.mantissa_bits) + mantissa),
                             exponent - format.bias - format.mantissa_bits);
  }
  return (code & 0x80) != 0 ? -value : value;
#endif
}

inline __host__ __device__ unsigned char gridlock_sim_float_to_fp8(float value,
                                                                   __nv_fp8_interpretation_t kind) {
#ifdef __CUDA_ARCH__
  unsigned short pair;
  if (kind == __NV_E4M3) {
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  } else {
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  }
  return (unsigned char)pair;
#else
  const gridlock_sim_fp8 format = gridlock_sim_fp8_of(kind);
  const unsigned sign = __builtin_signbit(value) != 0 ? 0x80u : 0u;
  if (value != value) return 0x7f;
  const float magnitude = __builtin_fabsf(value);
  // Codes grow with their values. Takes the nearest code; of two equally near ones, the even one.
  unsigned nearest = 0;
  float distance = magnitude;
  for (unsigned code = 1; code <= format.largest; ++code) {
    const float gap = __builtin_fabsf(
        gridlock_sim_fp8_to_float(static_cast<unsigned char>(code), kind) - magnitude);
    if (gap < distance || (gap == distance && (code & 1u) == 0)) {
      nearest = code;
      distance = gap;
    }
  }
  return static_cast<unsigned char>(sign | nearest);
#endif
}

#ifdef __CUDA__
// Two values by one instruction.
#define GRIDLOCK_SIM_FP8_PAIR(name, letters)                                            \
  GRIDLOCK_SIM_DEVICE __half2 gridlock_sim_##name##_to_half2(unsigned short pair) {     \
    unsigned r{};                                                                       \
    GRIDLOCK_SIM_TEXT(asm("cvt.rn.f16x2." letters "x2 %0, %1;" : "=r"(r) : "h"(pair))); \
    return __builtin_bit_cast(__half2, r);                                              \
  }                                                                                     \
  GRIDLOCK_SIM_DEVICE unsigned short gridlock_sim_half2_to_##name(__half2 pair) {       \
    unsigned short r{};                                                                 \
    GRIDLOCK_SIM_TEXT(asm("cvt.rn.satfinite." letters "x2.f16x2 %0, %1;"                \
                          : "=h"(r)                                                     \
                          : "r"(__builtin_bit_cast(unsigned, pair))));                  \
    return r;                                                                           \
  }
GRIDLOCK_SIM_FP8_PAIR(e4m3, "e4m3")
GRIDLOCK_SIM_FP8_PAIR(e5m2, "e5m2")
#undef GRIDLOCK_SIM_FP8_PAIR
#define GRIDLOCK_SIM_FP8_OF_DEVICE(name)                                                  \
  __device__ __nv_fp8x2_##name(__half2 pair) : __x(gridlock_sim_half2_to_##name(pair)) {} \
  __device__ operator __half2() const { return gridlock_sim_##name##_to_half2(__x); }
#else
#define GRIDLOCK_SIM_FP8_OF_DEVICE(name)
#endif

#define GRIDLOCK_SIM_FP8(name, kind)                                                         \
  struct __nv_fp8_##name {                                                                   \
    __nv_fp8_storage_t __x;                                                                  \
    __nv_fp8_##name() = default;                                                             \
    __host__ __device__ explicit __nv_fp8_##name(float value)                                \
        : __x(gridlock_sim_float_to_fp8(value, kind)) {}                                     \
    __host__ __device__ explicit __nv_fp8_##name(__half value)                               \
        : __nv_fp8_##name(static_cast<float>(value)) {}                                      \
    __host__ __device__ explicit operator float() const {                                    \
      return gridlock_sim_fp8_to_float(__x, kind);                                           \
    }                                                                                        \
    __host__ __device__ explicit operator __half() const {                                   \
      return __half(gridlock_sim_fp8_to_float(__x, kind));                                   \
    }                                                                                        \
  };                                                                                         \
  struct alignas(2) __nv_fp8x2_##name {                                                      \
    __nv_fp8x2_storage_t __x;                                                                \
    __nv_fp8x2_##name() = default;                                                           \
    GRIDLOCK_SIM_FP8_OF_DEVICE(name)                                                         \
    __host__ __device__ explicit __nv_fp8x2_##name(float2 pair)                              \
        : __x(static_cast<unsigned short>(gridlock_sim_float_to_fp8(pair.x, kind) |          \
                                          gridlock_sim_float_to_fp8(pair.y, kind) << 8)) {}  \
    __host__ __device__ explicit operator float2() const {                                   \
      return float2{gridlock_sim_fp8_to_float(static_cast<unsigned char>(__x), kind),        \
                    gridlock_sim_fp8_to_float(static_cast<unsigned char>(__x >> 8), kind)};  \
    }                                                                                        \
  };                                                                                         \
  struct alignas(4) __nv_fp8x4_##name {                                                      \
    __nv_fp8x4_storage_t __x;                                                                \
    __nv_fp8x4_##name() = default;                                                           \
    __host__ __device__ explicit __nv_fp8x4_##name(float4 four)                              \
        : __x(__nv_fp8x2_##name(float2{four.x, four.y}).__x |                                \
              static_cast<unsigned>(__nv_fp8x2_##name(float2{four.z, four.w}).__x) << 16) {} \
    __host__ __device__ explicit operator float4() const {                                   \
      __nv_fp8x2_##name low;                                                                 \
      __nv_fp8x2_##name high;                                                                \
      low.__x = static_cast<unsigned short>(__x);                                            \
      high.__x = static_cast<unsigned short>(__x >> 16);                                     \
      const float2 first = static_cast<float2>(low);                                         \
      const float2 last = static_cast<float2>(high);                                         \
      return float4{first.x, first.y, last.x, last.y};                                       \
    }                                                                                        \
  };
GRIDLOCK_SIM_FP8(e4m3, __NV_E4M3)
GRIDLOCK_SIM_FP8(e5m2, __NV_E5M2)
#undef GRIDLOCK_SIM_FP8
#undef GRIDLOCK_SIM_FP8_OF_DEVICE

inline __host__ __device__ __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float value, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
  return gridlock_sim_float_to_fp8(value, kind);
}
inline __host__ __device__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t code,
                                                              __nv_fp8_interpretation_t kind) {
  return static_cast<__half_raw>(__half(gridlock_sim_fp8_to_float(code, kind)));
}

#endif
