// Integer arithmetic: add sub mul mad div rem abs neg min max, with carries (add.cc …) left out;
// add, min and max also of pairs of 16-bit integers.
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/float_arithmetic.h"
#include "sim/ptx/operations/integer_arithmetic.h"
#include "sim/ptx/operations/rows.h"

namespace sim::ptx {
namespace {

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
void add(Decoder& d) {
  const bool is_pair = d.take("u16x2") || d.take("s16x2");
  if (!is_pair) return add_or_sub<Add, AddSat>(d, FloatOp::kAdd);
  decode_binary(d, Type::kU32, Binary<Halves<Add, std::uint16_t>, std::uint32_t>::run);
}
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
template <class Op>
void min_or_max(Decoder& d, FloatOp op) {
  if (d.take("u16x2")) {
    return decode_binary(d, Type::kU32, Binary<Halves<Op, std::uint16_t>, std::uint32_t>::run);
  }
  const bool is_pair = d.take("s16x2");
  const Type type = is_pair ? Type::kU32 : d.take_type();
  if (!is_pair && !is_integer(type)) return decode_float_binary(d, type, op);
  const bool relu = d.take("relu");
  if (relu && !is_pair && type != Type::kS32) d.refuse(".relu is for s32 and s16x2 alone");
  if (is_pair) {
    return decode_binary(d, type,
                         relu ? Binary<Halves<Relu<Op>, std::int16_t>, std::uint32_t>::run
                              : Binary<Halves<Op, std::int16_t>, std::uint32_t>::run);
  }
  decode_binary(d, type, relu ? Binary<Relu<Op>, std::int32_t>::run : by_integer<Binary, Op>(type));
}
void min(Decoder& d) { min_or_max<Min>(d, FloatOp::kMin); }
void max(Decoder& d) { min_or_max<Max>(d, FloatOp::kMax); }
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
