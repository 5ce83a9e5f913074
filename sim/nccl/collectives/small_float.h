// Floating point numbers of 8 and 16 bits: stored small, computed as float.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sim::nccl {

// An IEEE 754 binary format with kExponent and kMantissa bits. If kFinite, there is no infinity,
// and only the all-ones pattern is NaN (OCP's E4M3).
template <typename Bits, int kExponent, int kMantissa, bool kFinite = false>
struct SmallFloat {
  Bits bits;

  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr unsigned kExponentMask = (1U << kExponent) - 1;
  static constexpr unsigned kMantissaMask = (1U << kMantissa) - 1;
  static constexpr unsigned kSign = 1U << (kExponent + kMantissa);
  static constexpr unsigned kNan = kSign - 1;
  static constexpr unsigned kInfinity = kExponentMask << kMantissa;

  explicit operator float() const {
    const unsigned exponent = (unsigned{bits} >> kMantissa) & kExponentMask;
    const unsigned mantissa = unsigned{bits} & kMantissaMask;
    float value = 0;
    if (kFinite ? (unsigned{bits} & kNan) == kNan : exponent == kExponentMask && mantissa != 0) {
      value = std::nanf("");
    } else if (!kFinite && exponent == kExponentMask) {
      value = INFINITY;
    } else if (exponent == 0) {
      value = std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissa);
    } else {
      value = std::ldexp(static_cast<float>(mantissa + kMantissaMask + 1),
                         static_cast<int>(exponent) - kBias - kMantissa);
    }
    return (bits & kSign) != 0 ? -value : value;
  }

  // Rounds to nearest, ties to even. Beyond the largest number: infinity, or that number where
  // there is no infinity.
  static SmallFloat from(float value) {
    const unsigned sign = std::signbit(value) ? kSign : 0;
    if (std::isnan(value)) return make(sign | kNan);
    const float magnitude = std::fabs(value);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int lowest = 1 - kBias;
    exponent = magnitude == 0 ? lowest : std::max(exponent - 1, lowest);
    // In units of the last place; nearbyint rounds ties to even in the default mode.
    const float scaled = std::isinf(magnitude)
                             ? magnitude
                             : std::nearbyint(std::ldexp(magnitude, kMantissa - exponent));
    constexpr unsigned kLargest = kFinite ? kNan - 1 : kInfinity;
    if (std::isinf(scaled)) return make(sign | kLargest);
    // A carry out of the mantissa moves into the exponent, as the format wants it.
    const auto units = static_cast<std::int64_t>(scaled);
    const std::int64_t packed = units + (static_cast<std::int64_t>(exponent - lowest) << kMantissa);
    return make(sign |
                (packed > std::int64_t{kLargest} ? kLargest : static_cast<unsigned>(packed)));
  }

 private:
  static SmallFloat make(unsigned pattern) { return {static_cast<Bits>(pattern)}; }
};

using Float16 = SmallFloat<std::uint16_t, 5, 10>;
using Float8E4M3 = SmallFloat<std::uint8_t, 4, 3, true>;
using Float8E5M2 = SmallFloat<std::uint8_t, 5, 2>;

// The upper half of a float.
struct Bfloat16 {
  std::uint16_t bits;

  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

  static Bfloat16 from(float value) {
    const auto pattern = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return {static_cast<std::uint16_t>((pattern >> 16) | 0x40)};
    const std::uint32_t half = 0x7fff + ((pattern >> 16) & 1);
    return {static_cast<std::uint16_t>((pattern + half) >> 16)};
  }
};

}  // namespace sim::nccl
