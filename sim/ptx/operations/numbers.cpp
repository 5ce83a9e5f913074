// Rounds exact values to a binary format, in every rounding mode.
#include "sim/ptx/operations/numbers.h"

namespace sim::ptx {
namespace {

// Whether the discarded part rounds the last kept bit up.
bool rounds_up(Round round, bool negative, bool odd, bool half, bool below) {
  switch (round) {
    case Round::kNearest:
      return half && (below || odd);
    case Round::kAway:
      return half;
    case Round::kZero:
      return false;
    case Round::kDown:
      return negative && (half || below);
    case Round::kUp:
      return !negative && (half || below);
  }
  return false;
}

std::uint64_t largest(const Format& f) {
  const std::uint64_t all = (1ULL << (f.exponent + f.mantissa)) - 1;
  return f.infinity ? all - (1ULL << f.mantissa) : all - 1;
}

std::uint64_t overflow(const Format& f, bool negative, Round round, bool finite) {
  const bool stays = finite || round == Round::kZero || (round == Round::kDown && !negative) ||
                     (round == Round::kUp && negative);
  if (stays) return largest(f);
  return f.infinity ? largest(f) + 1 : (1ULL << (f.exponent + f.mantissa)) - 1;
}

}  // namespace

std::uint64_t round_to(const Format& f, bool negative, std::uint64_t significand, int exponent,
                       bool sticky, Round round, bool finite) {
  const std::uint64_t sign = std::uint64_t{negative} << (f.exponent + f.mantissa);
  if (significand == 0 && !sticky) return sign;
  // Shifts the highest bit to bit 63, so that the number is 1.… × 2^(exponent + 63).
  const int shift = std::countl_zero(significand | 1);
  significand <<= shift;
  exponent -= shift;
  const int scale = exponent + 63;  // of the leading bit
  const int lowest = 1 - f.bias();  // the least normal exponent
  int drop = 63 - f.mantissa;       // bits that do not fit
  if (scale < lowest) drop += lowest - scale;
  std::uint64_t kept = 0;
  bool half = false;
  bool below = sticky;
  if (drop <= 63) {
    kept = significand >> drop;
    half = (significand >> (drop - 1) & 1) != 0;
    below = below || (significand << (64 - drop) << 1) != 0;
  } else if (drop == 64) {
    half = significand >> 63 != 0;
    below = below || (significand << 1) != 0;
  } else {
    below = true;
  }
  if (rounds_up(round, negative, (kept & 1) != 0, half, below)) ++kept;
  // A carry into the exponent makes the next power of two, or the least normal number.
  std::uint64_t bits = kept;
  if (scale >= lowest) {
    if (scale + f.bias() > (1 << f.exponent)) return sign | overflow(f, negative, round, finite);
    bits = (static_cast<std::uint64_t>(scale + f.bias() - 1) << f.mantissa) + kept;
  }
  if (bits > largest(f)) bits = overflow(f, negative, round, finite);
  return sign | bits;
}

std::uint64_t round_to(const Format& f, double value, Round round, bool finite) {
  const std::uint64_t all = (1ULL << (f.exponent + f.mantissa)) - 1;
  if (std::isnan(value)) return all;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  if (std::isinf(value)) {
    const std::uint64_t sign = std::uint64_t{negative} << (f.exponent + f.mantissa);
    if (finite) return sign | largest(f);
    return sign | (f.infinity ? largest(f) + 1 : all);
  }
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t mantissa = bits & ((1ULL << 52) - 1);
  return exponent == 0
             ? round_to(f, negative, mantissa, -1074, false, round, finite)
             : round_to(f, negative, mantissa | 1ULL << 52, exponent - 1075, false, round, finite);
}

double value_of(const Format& f, std::uint64_t bits) {
  const bool negative = (bits >> (f.exponent + f.mantissa) & 1) != 0;
  const auto exponent = static_cast<int>(bits >> f.mantissa & ((1ULL << f.exponent) - 1));
  const std::uint64_t mantissa = bits & ((1ULL << f.mantissa) - 1);
  const bool top = exponent == (1 << f.exponent) - 1;
  double value = 0;
  if (top && f.infinity) {
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else if (top && mantissa == (1ULL << f.mantissa) - 1) {
    value = std::nan("");
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - f.bias() - f.mantissa);
  } else {
    value = std::ldexp(static_cast<double>(mantissa | 1ULL << f.mantissa),
                       exponent - f.bias() - f.mantissa);
  }
  return negative ? -value : value;
}

}  // namespace sim::ptx
