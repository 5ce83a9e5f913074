// __half: IEEE binary16, converted to and from float in software. Arithmetic goes through float.
#pragma once

#include <stdint.h>
#include <string.h>

typedef struct {
  unsigned short x;
} __half_raw;

#ifdef __cplusplus

inline float gridlock_sim_half_to_float(uint16_t half) {
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
}

// Round to nearest, ties to even.
inline uint16_t gridlock_sim_float_to_half(float value) {
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
}

struct alignas(2) __half {
  __half() = default;
  __half(float value) : __x(gridlock_sim_float_to_half(value)) {}
  __half(double value) : __half(static_cast<float>(value)) {}
  __half(int value) : __half(static_cast<float>(value)) {}
  __half(const __half_raw& raw) : __x(raw.x) {}
  operator float() const { return gridlock_sim_half_to_float(__x); }
  operator __half_raw() const { return __half_raw{__x}; }

 protected:
  unsigned short __x;
};
typedef __half half;

inline __half __float2half(float value) { return __half(value); }
inline __half __float2half_rn(float value) { return __half(value); }
inline float __half2float(__half value) { return static_cast<float>(value); }
inline __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
inline unsigned short __half_as_ushort(__half value) { return static_cast<__half_raw>(value).x; }

#endif
