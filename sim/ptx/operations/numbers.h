// Number formats that C++ lacks, and conversions that round only once.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace sim::ptx {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
struct HalfPair {
  std::uint32_t bits;
};
struct BfloatPair {
  std::uint32_t bits;
};

enum class Round : std::uint8_t { kNearest, kZero, kDown, kUp, kAway };  // rn rz rm rp rna

// A binary format: one sign bit, `exponent` bits, `mantissa` bits.
struct Format {
  int exponent;
  int mantissa;
  bool infinity = true;  // e4m3 has none: only all ones is a NaN
  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
};
constexpr Format kHalf{5, 10};
constexpr Format kBfloat{8, 7};
constexpr Format kE4m3{4, 3, false};
constexpr Format kE5m2{5, 2};
constexpr Format kSingle{8, 23};
constexpr Format kDouble{11, 52};

// (-1)^negative × significand × 2^exponent, rounded once. `sticky`: more nonzero bits follow the
// last bit. A number that is too large becomes infinite, or the largest finite one if the rounding
// or `finite` says so.
std::uint64_t round_to(const Format& format, bool negative, std::uint64_t significand, int exponent,
                       bool sticky, Round round, bool finite = false);
// The same for a double. A NaN becomes the canonical NaN.
std::uint64_t round_to(const Format& format, double value, Round round, bool finite = false);
double value_of(const Format& format, std::uint64_t bits);

// Exact.
inline float widen(Bfloat b) { return std::bit_cast<float>(std::uint32_t{b.bits} << 16); }
inline float widen(Half h) {
  // A multiplication moves the exponent. It also makes subnormal numbers normal.
  const std::uint32_t magnitude = (h.bits & 0x7fffU) << 13;
  const float moved = std::bit_cast<float>(magnitude) * 0x1p112F;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(moved);
  bits |= magnitude >= (0x7c00U << 13) ? 0x7f800000U : 0U;
  return std::bit_cast<float>(bits | (h.bits & 0x8000U) << 16);
}

// To the nearest, ties to even; NaN becomes 0x7fff.
template <class T>
T narrow(float value);
template <>
inline Bfloat narrow<Bfloat>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {0x7fff};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16)};
}
template <>
inline Half narrow<Half>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude >= 0x47800000U) {  // 2^16 and more
    half = magnitude > 0x7f800000U ? 0x7fffU | sign : 0x7c00U;
    if (magnitude > 0x7f800000U) return {0x7fff};
  } else if (magnitude < 0x38800000U) {  // subnormal: the processor's own addition rounds
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U;
  } else {
    half = (magnitude - (112U << 23) + 0xfffU + (magnitude >> 13 & 1)) >> 13;
  }
  return {static_cast<std::uint16_t>(half | sign)};
}

// Sets the floating-point environment's rounding while it is in scope.
class Rounding {
 public:
  explicit Rounding(Round round) : before_(std::fegetround()) {
    std::fesetround(round == Round::kZero   ? FE_TOWARDZERO
                    : round == Round::kDown ? FE_DOWNWARD
                    : round == Round::kUp   ? FE_UPWARD
                                            : FE_TONEAREST);
  }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};

}  // namespace sim::ptx
