// PTX's types and state spaces.
#pragma once

#include <cstdint>
#include <string_view>

namespace sim::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kU8,
  kS8,
  kB16,
  kU16,
  kS16,
  kF16,
  kBf16,
  kB32,
  kU32,
  kS32,
  kF32,
  kF16x2,
  kBf16x2,
  kB64,
  kU64,
  kS64,
  kF64,
  kE4m3x2,
  kE5m2x2
};

// kNone if `name` ("u32") is not a type.
Type type_named(std::string_view name);

// The size of a value in memory. A predicate has none.
constexpr unsigned bytes_of(Type type) {
  switch (type) {
    case Type::kNone:
    case Type::kPred:
      return 0;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 1;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
    case Type::kE4m3x2:
    case Type::kE5m2x2:
      return 2;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 8;
    default:
      return 4;
  }
}

constexpr bool is_signed(Type t) {
  return t == Type::kS8 || t == Type::kS16 || t == Type::kS32 || t == Type::kS64;
}
constexpr bool is_unsigned(Type t) {
  return t == Type::kU8 || t == Type::kU16 || t == Type::kU32 || t == Type::kU64;
}
constexpr bool is_bits(Type t) {
  return t == Type::kB8 || t == Type::kB16 || t == Type::kB32 || t == Type::kB64;
}
constexpr bool is_integer(Type t) { return is_signed(t) || is_unsigned(t); }
constexpr bool is_float(Type t) {
  return t == Type::kF16 || t == Type::kBf16 || t == Type::kF32 || t == Type::kF64;
}

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam, kConst, kReg };

}  // namespace sim::ptx
