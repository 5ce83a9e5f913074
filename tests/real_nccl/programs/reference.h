// What goes into a drawn collective and what must come out.
#pragma once

#include "tests/real_nccl/programs/draw.h"

inline constexpr int kScale = 2;  // of a scaled sum

// Integers with all their bits; sums and products wrap around. An average must not overflow.
inline std::uint64_t integer_in(const Draw& d, std::uint64_t bits) {
  return d.fold == Fold::avg ? bits % 16 : element(*d.type, bits);
}

// Floats whose result is exact in every order of the ranks, up to eight of them.
inline double float_in(const Draw& d, std::uint64_t bits) {
  const bool short_type = d.type->bytes == 1;  // exact up to 8
  switch (d.fold) {
    case Fold::prod: {
      const double factors[] = {1, 2, -1, -2};
      return factors[bits % 4];
    }
    case Fold::max:
    case Fold::min:
      return static_cast<double>(bits % 17) - 8;
    default:
      return static_cast<double>(bits % (short_type ? 2 : 16));
  }
}

// The element that rank `rank` of the communicator brings at `at`.
inline std::uint64_t brought(const Draw& d, int call, int rank, std::size_t at) {
  const std::uint64_t bits = mix(d.seed ^ mix((static_cast<std::uint64_t>(call) << 48) ^
                                              (static_cast<std::uint64_t>(rank) << 40) ^ at));
  if (!d.reduces()) return element(*d.type, bits);
  return is_float(*d.type) ? float_bits(*d.type, float_in(d, bits)) : integer_in(d, bits);
}

inline std::int64_t extended(const Type& type, std::uint64_t bits) {
  const int unused = 64 - 8 * type.bytes;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

inline std::uint64_t integer_fold(const Draw& d, int call, std::size_t at) {
  std::uint64_t all = brought(d, call, 0, at);
  if (d.fold == Fold::scaled) all *= kScale;
  for (int rank = 1; rank < d.size(); ++rank) {
    const std::uint64_t one = brought(d, call, rank, at);
    const bool less =
        d.type->is_signed ? extended(*d.type, one) < extended(*d.type, all) : one < all;
    switch (d.fold) {
      case Fold::sum:
      case Fold::avg:
        all += one;
        break;
      case Fold::scaled:
        all += kScale * one;
        break;
      case Fold::prod:
        all *= one;
        break;
      case Fold::max:
        if (!less) all = one;
        break;
      case Fold::min:
        if (less) all = one;
        break;
    }
  }
  if (d.fold == Fold::avg) all /= static_cast<std::uint64_t>(d.size());
  return element(*d.type, all);
}

inline double float_fold(const Draw& d, int call, std::size_t at) {
  double all = float_value(*d.type, brought(d, call, 0, at));
  for (int rank = 1; rank < d.size(); ++rank) {
    const double one = float_value(*d.type, brought(d, call, rank, at));
    if (d.fold == Fold::prod)
      all *= one;
    else if (d.fold == Fold::max)
      all = std::max(all, one);
    else if (d.fold == Fold::min)
      all = std::min(all, one);
    else
      all += one;
  }
  if (d.fold == Fold::avg) all /= d.size();
  return d.fold == Fold::scaled ? all * kScale : all;
}

// Whether `got` is the reduction of all ranks' elements at `at`. An average is exact if the number
// of ranks is a power of two; else each of its terms and sums may be rounded.
inline bool is_fold(const Draw& d, int call, std::size_t at, std::uint64_t got) {
  if (!is_float(*d.type)) return got == integer_fold(d, call, at);
  const double wanted = float_fold(d, call, at);
  const double value = float_value(*d.type, got);
  const bool exact = d.fold != Fold::avg || (d.size() & (d.size() - 1)) == 0;
  if (exact) return value == wanted;
  return std::fabs(value - wanted) <= 2 * d.size() * std::ldexp(wanted, -d.type->mantissa - 1);
}
