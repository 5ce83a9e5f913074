// A value of any of NCCL's types as the bits of one element, and back. Floats are written here by
// hand, so that no conversion of the simulation checks itself.
#pragma once

#include <nccl.h>

#include <cmath>
#include <cstdint>
#include <cstring>

struct Type {
  ncclDataType_t id;
  const char* name;
  int bytes;
  int exponent;  // bits; 0 for an integer
  int mantissa;  // bits
  bool is_signed;
};

inline constexpr Type kTypes[] = {
    {ncclInt8, "int8", 1, 0, 0, true},
    {ncclUint8, "uint8", 1, 0, 0, false},
    {ncclInt32, "int32", 4, 0, 0, true},
    {ncclUint32, "uint32", 4, 0, 0, false},
    {ncclInt64, "int64", 8, 0, 0, true},
    {ncclUint64, "uint64", 8, 0, 0, false},
    {ncclFloat16, "float16", 2, 5, 10, true},
    {ncclFloat32, "float32", 4, 8, 23, true},
    {ncclFloat64, "float64", 8, 11, 52, true},
    {ncclBfloat16, "bfloat16", 2, 8, 7, true},
    {ncclFloat8e4m3, "float8e4m3", 1, 4, 3, true},
    {ncclFloat8e5m2, "float8e5m2", 1, 5, 2, true},
};
inline constexpr int kTypesWithoutFloat8 = 10;  // before NCCL 2.24

inline bool is_float(const Type& type) { return type.exponent != 0; }

// The low bits of an element.
inline std::uint64_t element(const Type& type, std::uint64_t bits) {
  return type.bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * type.bytes)) - 1);
}

// The bits of a float. `value` must be exact in its type, and not subnormal.
inline std::uint64_t float_bits(const Type& type, double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // from 0.5 to 1
  const int bias = (1 << (type.exponent - 1)) - 1;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(2 * fraction - 1, type.mantissa));
  const std::uint64_t sign = value < 0 ? 1 : 0;
  return (sign << (type.exponent + type.mantissa)) |
         (static_cast<std::uint64_t>(exponent - 1 + bias) << type.mantissa) | mantissa;
}

// Infinity and NaN come out as large numbers, which no reference is.
inline double float_value(const Type& type, std::uint64_t bits) {
  const int bias = (1 << (type.exponent - 1)) - 1;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << type.mantissa) - 1);
  const int exponent =
      static_cast<int>((bits >> type.mantissa) & ((std::uint64_t{1} << type.exponent) - 1));
  const bool negative = ((bits >> (type.exponent + type.mantissa)) & 1) != 0;
  const double part = std::ldexp(static_cast<double>(mantissa), -type.mantissa);
  const double size =
      exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias);
  return negative ? -size : size;
}

inline void write_element(const Type& type, unsigned char* to, std::uint64_t bits) {
  std::memcpy(to, &bits, static_cast<std::size_t>(type.bytes));  // little-endian
}
inline std::uint64_t read_element(const Type& type, const unsigned char* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<std::size_t>(type.bytes));
  return bits;
}
