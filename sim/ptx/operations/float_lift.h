// Lifts one definition of an operation, on float and double, to half, bfloat16 and their pairs.
#pragma once

#include "sim/ptx/operations/numbers.h"
#include "sim/ptx/operations/rows.h"

namespace sim::ptx {

template <>
constexpr bool holds<Half>(Type t) {
  return t == Type::kF16;
}
template <>
constexpr bool holds<Bfloat>(Type t) {
  return t == Type::kBf16;
}
template <>
constexpr bool holds<HalfPair>(Type t) {
  return t == Type::kF16x2;
}
template <>
constexpr bool holds<BfloatPair>(Type t) {
  return t == Type::kBf16x2;
}

// The device has one NaN for single precision; double precision keeps payloads.
inline float canonical(float value) {
  return std::isnan(value) ? std::bit_cast<float>(0x7fffffffU) : value;
}
inline double canonical(double value) { return value; }

constexpr std::uint8_t kFtz = 1;
constexpr std::uint8_t kSat = 2;

inline float flushed(float value) {
  return std::fabs(value) < 0x1p-126F ? std::copysign(0.0F, value) : value;
}
inline double flushed(double value) { return value; }  // .ftz is for single precision
template <class T>
T saturated(T value) {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};  // a NaN becomes 0
}

// Op::of on whatever T stands for.
template <class Op, class T, class... Same>
T lift(T a, Same... rest) {
  if constexpr (requires { widen(a); }) {
    return narrow<T>(Op::of(widen(a), widen(rest)...));
  } else if constexpr (requires { a.bits; }) {
    using One = std::conditional_t<std::is_same_v<T, HalfPair>, Half, Bfloat>;
    const auto at = [](T pair, unsigned shift) {
      return One{static_cast<std::uint16_t>(pair.bits >> shift)};
    };
    const One low = lift<Op>(at(a, 0), at(rest, 0)...);
    const One high = lift<Op>(at(a, 16), at(rest, 16)...);
    return T{low.bits | static_cast<std::uint32_t>(high.bits) << 16};
  } else {
    return canonical(Op::of(a, rest...));
  }
}

template <class Op>
struct Lifted {
  template <class T, class... Same>
  static T of(T a, Same... rest) {
    return lift<Op>(a, rest...);
  }
};

// Adds what the fast path lacks: directed rounding (sub), .ftz and .sat (flags).
template <class Op, class T, unsigned kCount>
struct Careful {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[kCount > 1 ? 2 : 1]);
    const T* c = row<T>(w, i.row[kCount > 2 ? 3 : 1]);
    const bool ftz = (i.flags & kFtz) != 0;
    const bool sat = (i.flags & kSat) != 0;
    const auto in = [ftz](T value) { return ftz ? flushed(value) : value; };
    const Rounding rounding(static_cast<Round>(i.sub));
    each(lanes, [&](unsigned l) {
      T r;
      if constexpr (kCount == 1) r = Op::of(in(a[l]));
      if constexpr (kCount == 2) r = Op::of(in(a[l]), in(b[l]));
      if constexpr (kCount == 3) r = Op::of(in(a[l]), in(b[l]), in(c[l]));
      d[l] = in(sat ? saturated(r) : canonical(r));
    });
  }
};
template <class Op, class T>
struct Careful1 : Careful<Op, T, 1> {};
template <class Op, class T>
struct Careful2 : Careful<Op, T, 2> {};
template <class Op, class T>
struct Careful3 : Careful<Op, T, 3> {};

}  // namespace sim::ptx
