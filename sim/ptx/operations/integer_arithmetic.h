// Integer arithmetic of one lane. PTX wraps where C++ overflows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sim::ptx {

__extension__ using Wide = __int128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
// The product's type: twice as wide, with the same signedness.
template <class T>
struct Twice;
template <>
struct Twice<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Twice<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Twice<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Twice<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct Twice<std::uint64_t> {
  __extension__ using type = unsigned __int128;
};
template <>
struct Twice<std::int64_t> {
  using type = Wide;
};
template <class T>
using TwiceOf = typename Twice<T>::type;

// Computes in unsigned numbers, because signed ones wrap to the same bits. C++ would promote 16-bit
// values to int, and the product of two large ones would overflow.
template <class T>
T product(T a, T b) {
  return static_cast<T>(static_cast<TwiceOf<T>>(a) * static_cast<TwiceOf<T>>(b));
}
template <class T>
T high(T a, T b) {
  return static_cast<T>((static_cast<TwiceOf<T>>(a) * static_cast<TwiceOf<T>>(b)) >>
                        (8 * sizeof(T)));
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a - b);
  }
};
struct MulLo {
  template <class T>
  static T of(T a, T b) {
    return product(a, b);
  }
};
struct MulHi {
  template <class T>
  static T of(T a, T b) {
    return high(a, b);
  }
};
struct MadLo {
  template <class T>
  static T of(T a, T b, T c) {
    return static_cast<T>(product(a, b) + c);
  }
};
struct MadHi {
  template <class T>
  static T of(T a, T b, T c) {
    return static_cast<T>(static_cast<Unsigned<T>>(high(a, b)) + static_cast<Unsigned<T>>(c));
  }
};
// Division by zero gives all ones, as on the device. PTX does not define it.
struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct Neg {
  template <class T>
  static T of(T a) {
    return static_cast<T>(0U - a);
  }
};
struct Abs {
  template <class T>
  static T of(T a) {
    return a < 0 ? static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a)) : a;
  }
};
struct Sad {
  template <class T>
  static T of(T a, T b, T c) {
    const auto x = static_cast<Unsigned<T>>(a), y = static_cast<Unsigned<T>>(b);
    return static_cast<T>(static_cast<Unsigned<T>>(c) +
                          static_cast<Unsigned<T>>(a < b ? y - x : x - y));
  }
};
struct AddSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return clamp(std::int64_t{a} + b); }
  static std::int32_t clamp(std::int64_t v) {
    return static_cast<std::int32_t>(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
  }
};
struct SubSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    return AddSat::clamp(std::int64_t{a} - b);
  }
};

template <class Op>
struct Relu {
  template <class T>
  static T of(T a, T b) {
    return std::max(Op::of(a, b), T{0});
  }
};
// On both 16-bit halves of a word.
template <class Op, class T>
struct Halves {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    return half(a, b) | std::uint32_t{half(a >> 16U, b >> 16U)} << 16U;
  }
  static std::uint16_t half(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint16_t>(Op::of(static_cast<T>(a), static_cast<T>(b)));
  }
};

}  // namespace sim::ptx
