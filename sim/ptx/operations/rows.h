// Rows, and the lanes of a row that an instruction works on.
#pragma once

#include <bit>

#include "sim/ptx/state/special.h"
#include "sim/ptx/state/warp.h"

namespace sim::ptx {

// Rows of different types share the same bytes, so the library is compiled without strict aliasing.
template <class T>
inline T* row(Warp& warp, Row at) {
  return reinterpret_cast<T*>(warp.base[at >> kBaseShift] + (at & ((1U << kBaseShift) - 1)));
}

inline Lanes& predicate(Warp& warp, Row at) { return *row<Lanes>(warp, at); }

inline void set_predicate(Warp& warp, Row at, Lanes lanes, Lanes value) {
  Lanes& p = predicate(warp, at);
  p = (p & ~lanes) | (value & lanes);
}

// Two rows are identical or disjoint, so no lane's result is another lane's operand.
template <class Body>
inline void each(Lanes lanes, Body&& body) {
  if (lanes == kAllLanes) {
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
  } else {
    for (Lanes left = lanes; left != 0; left &= left - 1) {
      body(static_cast<unsigned>(std::countr_zero(left)));
    }
  }
}

// d = op(a …) on every lane, for one type.
template <class Op, class T>
struct Unary {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    each(lanes, [&](unsigned l) { d[l] = Op::of(a[l]); });
  }
};
template <class Op, class T>
struct Binary {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    each(lanes, [&](unsigned l) { d[l] = Op::of(a[l], b[l]); });
  }
};
template <class Op, class T>
struct Ternary {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    const T* c = row<T>(w, i.row[3]);
    each(lanes, [&](unsigned l) { d[l] = Op::of(a[l], b[l], c[l]); });
  }
};

template <class T>
constexpr bool holds(Type type);
template <>
constexpr bool holds<std::uint16_t>(Type t) {
  return t == Type::kU16 || t == Type::kB16;
}
template <>
constexpr bool holds<std::uint32_t>(Type t) {
  return t == Type::kU32 || t == Type::kB32;
}
template <>
constexpr bool holds<std::uint64_t>(Type t) {
  return t == Type::kU64 || t == Type::kB64;
}
template <>
constexpr bool holds<std::int16_t>(Type t) {
  return t == Type::kS16;
}
template <>
constexpr bool holds<std::int32_t>(Type t) {
  return t == Type::kS32;
}
template <>
constexpr bool holds<std::int64_t>(Type t) {
  return t == Type::kS64;
}
template <>
constexpr bool holds<float>(Type t) {
  return t == Type::kF32;
}
template <>
constexpr bool holds<double>(Type t) {
  return t == Type::kF64;
}

// The handler of the first of `T` that holds `type`. Null if none does.
template <template <class, class> class Shape, class Op, class... T>
Handler choose(Type type) {
  Handler found = nullptr;
  ((holds<T>(type) ? void(found = Shape<Op, T>::run) : void()), ...);
  return found;
}

template <template <class, class> class Shape, class Op>
Handler by_unsigned(Type type) {  // where the sign does not matter
  if (type == Type::kS16) type = Type::kU16;
  if (type == Type::kS32) type = Type::kU32;
  if (type == Type::kS64) type = Type::kU64;
  return choose<Shape, Op, std::uint16_t, std::uint32_t, std::uint64_t>(type);
}
template <template <class, class> class Shape, class Op>
Handler by_integer(Type type) {
  return choose<Shape, Op, std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t,
                std::int64_t>(type);
}

}  // namespace sim::ptx
