// Integer arithmetic: add sub mul mad div rem abs neg min max, with carries (add.cc …) left out.
#include <type_traits>

#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/float_arithmetic.h"
#include "sim/ptx/operations/rows.h"

namespace sim::ptx {
namespace {

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

template <class, class T>
struct MulWide {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<TwiceOf<T>>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    each(lanes, [&](unsigned l) { d[l] = TwiceOf<T>{a[l]} * TwiceOf<T>{b[l]}; });
  }
};
template <class, class T>
struct MadWide {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    using D = TwiceOf<T>;
    auto* d = row<D>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    const D* c = row<D>(w, i.row[3]);
    each(lanes, [&](unsigned l) {
      d[l] = static_cast<D>(static_cast<Unsigned<D>>(D{a[l]} * D{b[l]}) +
                            static_cast<Unsigned<D>>(c[l]));
    });
  }
};

void decode_binary(Decoder& d, Type type, Handler run) {
  if (run == nullptr) d.refuse("its type is not covered");
  d.draft.code.run = run;
  d.expect_operands(3, 3);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
}

void decode_unary(Decoder& d, Type type, Handler run) {
  if (run == nullptr) d.refuse("its type is not covered");
  d.draft.code.run = run;
  d.expect_operands(2, 2);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
}

Type twice(Decoder& d, Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      d.refuse("its type is not covered");
  }
}

template <class Op, class Saturated>
void add_or_sub(Decoder& d, FloatOp op) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_binary(d, type, op);
  const bool saturated = d.take("sat");
  if (saturated && type != Type::kS32) d.refuse(".sat is for s32 alone");
  decode_binary(d, type,
                saturated ? Binary<Saturated, std::int32_t>::run : by_unsigned<Binary, Op>(type));
}
void add(Decoder& d) { add_or_sub<Add, AddSat>(d, FloatOp::kAdd); }
void sub(Decoder& d) { add_or_sub<Sub, SubSat>(d, FloatOp::kSub); }

void mul(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_binary(d, type, FloatOp::kMul);
  if (d.take("wide")) {
    d.expect_operands(3, 3);
    d.draft.code.run =
        choose<MulWide, void, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t>(type);
    d.define(d.operand(0), twice(d, type));
    d.use(d.operand(1), type);
    d.use(d.operand(2), type);
  } else if (d.take("hi")) {
    decode_binary(d, type, by_integer<Binary, MulHi>(type));
  } else if (d.take("lo")) {
    decode_binary(d, type, by_unsigned<Binary, MulLo>(type));
  } else {
    d.refuse("none of .lo .hi .wide is there");
  }
}

void mad(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_fma(d, type);
  Type result = type;
  if (d.take("wide")) {
    result = twice(d, type);
    d.draft.code.run =
        choose<MadWide, void, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t>(type);
  } else if (d.take("hi")) {
    d.draft.code.run = by_integer<Ternary, MadHi>(type);
  } else if (d.take("lo")) {
    d.draft.code.run = by_unsigned<Ternary, MadLo>(type);
  } else {
    d.refuse("none of .lo .hi .wide is there");
  }
  d.expect_operands(4, 4);
  d.define(d.operand(0), result);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
  d.use(d.operand(3), result);
}

void sad(Decoder& d) {
  const Type type = d.take_type();
  d.draft.code.run = by_integer<Ternary, Sad>(type);
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(4, 4);
  d.define(d.operand(0), type);
  for (std::size_t n = 1; n < 4; ++n) d.use(d.operand(n), type);
}

void div(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_binary(d, type, FloatOp::kDiv);
  decode_binary(d, type, by_integer<Binary, Div>(type));
}
void rem(Decoder& d) {
  const Type type = d.take_type();
  decode_binary(d, type, is_integer(type) ? by_integer<Binary, Rem>(type) : nullptr);
}
void min(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_binary(d, type, FloatOp::kMin);
  decode_binary(d, type, by_integer<Binary, Min>(type));
}
void max(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_binary(d, type, FloatOp::kMax);
  decode_binary(d, type, by_integer<Binary, Max>(type));
}
void neg(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_sign(d, type, FloatOp::kNeg);
  decode_unary(d, type, is_signed(type) ? by_unsigned<Unary, Neg>(type) : nullptr);
}
void abs(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) return decode_float_sign(d, type, FloatOp::kAbs);
  decode_unary(d, type, choose<Unary, Abs, std::int16_t, std::int32_t, std::int64_t>(type));
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"add", add}, {"sub", sub}, {"mul", mul}, {"mad", mad}, {"sad", sad}, {"div", div},
    {"rem", rem}, {"min", min}, {"max", max}, {"neg", neg}, {"abs", abs}};

}  // namespace

OpcodeTable integer_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
