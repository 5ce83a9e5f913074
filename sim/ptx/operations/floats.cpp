// Floating point: add sub mul div min max neg abs (opcodes shared with integers), fma, sqrt, rcp,
// rsqrt, copysign, and the approximations, which are computed as well as the host can.
#include <cmath>
#include <limits>

#include "sim/ptx/operations/float_arithmetic.h"
#include "sim/ptx/operations/float_lift.h"

namespace sim::ptx {
namespace {

struct Add {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T of(T a, T b) {
    return a / b;
  }
};

// A number beats a NaN, and -0 is less than +0. With .NaN, the NaN wins.
template <bool kLess, bool kNan>
struct Extreme {
  template <class T>
  static T of(T a, T b) {
    if (std::isnan(a)) return kNan || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : b;
    if (std::isnan(b)) return kNan ? b : a;
    if (a == b) return std::signbit(a) == kLess ? a : b;
    return (a < b) == kLess ? a : b;
  }
};

struct Sqrt {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct Rcp {
  template <class T>
  static T of(T a) {
    return T{1} / a;
  }
};
struct Rsqrt {
  template <class T>
  static T of(T a) {
    return T{1} / std::sqrt(a);
  }
};
struct Sin {
  template <class T>
  static T of(T a) {
    return std::sin(a);
  }
};
struct Cos {
  template <class T>
  static T of(T a) {
    return std::cos(a);
  }
};
struct Lg2 {
  template <class T>
  static T of(T a) {
    return std::log2(a);
  }
};
struct Ex2 {
  template <class T>
  static T of(T a) {
    return std::exp2(a);
  }
};
struct Tanh {
  template <class T>
  static T of(T a) {
    return std::tanh(a);
  }
};

struct Fma {
  static float of(float a, float b, float c) { return std::fma(a, b, c); }
  static double of(double a, double b, double c) { return std::fma(a, b, c); }
};

// The product of two halves is exact in double. The sum is rounded to odd, so that only the
// following rounding to half affects the result.
float fma_to_odd(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  const double from_product = sum - addend;
  const double error = (product - from_product) + (addend - (sum - from_product));
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  // Then it rounds to odd again, to float, which has two more bits than any half needs.
  const double odd = std::bit_cast<double>(bits);
  const auto single = static_cast<float>(odd);
  auto low = std::bit_cast<std::uint32_t>(single);
  if (std::isfinite(single) && static_cast<double>(single) != odd && (low & 1) == 0) {
    low = (std::fabs(odd) > std::fabs(static_cast<double>(single))) ? low + 1 : low - 1;
  }
  return std::bit_cast<float>(low);
}
struct FmaOfHalves {
  static float of(float a, float b, float c) { return fma_to_odd(a, b, c); }
};

#if defined(__x86_64__)
// The compiler must not assume an FMA unit. These two loops use one if the processor has it.
template <class T>
struct FusedRows {
  __attribute__((target("avx2,fma"))) static void run(Warp& w, const Instruction& i, Lanes lanes) {
    if (lanes != kAllLanes) return Ternary<Lifted<Fma>, T>::run(w, i, lanes);
    T* d = reinterpret_cast<T*>(w.base[i.row[0] >> kBaseShift] + (i.row[0] & 0x3fffffffU));
    const T* a = reinterpret_cast<T*>(w.base[i.row[1] >> kBaseShift] + (i.row[1] & 0x3fffffffU));
    const T* b = reinterpret_cast<T*>(w.base[i.row[2] >> kBaseShift] + (i.row[2] & 0x3fffffffU));
    const T* c = reinterpret_cast<T*>(w.base[i.row[3] >> kBaseShift] + (i.row[3] & 0x3fffffffU));
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (unsigned l = 0; l < kLanes; ++l) {
      T r;
      if constexpr (sizeof(T) == 4) {
        r = __builtin_fmaf(a[l], b[l], c[l]);
        r = std::isnan(r) ? __builtin_bit_cast(float, 0x7fffffffU) : r;
      } else {
        r = __builtin_fma(a[l], b[l], c[l]);
      }
      d[l] = r;
    }
  }
};
Handler fast_fma(Type type) {
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return nullptr;
  return type == Type::kF32 ? FusedRows<float>::run : FusedRows<double>::run;
}
#else
Handler fast_fma(Type) { return nullptr; }
#endif

template <template <class, class> class Shape, class Op>
Handler halves(Type type) {
  return choose<Shape, Op, Half, Bfloat, HalfPair, BfloatPair>(type);
}
template <class Op>
struct Saturated {
  static float of(float a, float b) { return saturated_of(Op::of(a, b)); }
  static float of(float a, float b, float c) { return saturated_of(Op::of(a, b, c)); }
  static float saturated_of(float value) { return saturated(value); }
};

void operands(Decoder& d, Type type, std::size_t count) {
  d.expect_operands(count, count);
  d.define(d.operand(0), type);
  for (std::size_t n = 1; n < count; ++n) d.use(d.operand(n), type);
}

void need(Decoder& d, Handler run) {
  if (run == nullptr) d.refuse("its type is not covered");
  d.draft.code.run = run;
}

// Takes the rounding, .ftz and .sat. True if the fast path lacks them.
bool take_care(Decoder& d, bool rounds) {
  static constexpr std::string_view kRoundings[] = {"rn", "rz", "rm", "rp"};
  const int round = rounds ? d.take_one(kRoundings) : -1;
  d.draft.code.sub = static_cast<std::uint8_t>(round < 0 ? 0 : round);
  d.draft.code.flags =
      static_cast<std::uint8_t>((d.take("ftz") ? kFtz : 0) | (d.take("sat") ? kSat : 0));
  return round > 0 || d.draft.code.flags != 0;
}

bool is_small(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 || type == Type::kBf16x2;
}

// Halves round only to the nearest. Without .ftz, subnormal halves are never flushed to zero.
template <template <class, class> class Shape, class Op>
Handler of_halves(Decoder& d, Type type) {
  if (d.draft.code.sub != 0) d.refuse("halves are rounded to the nearest alone");
  if ((d.draft.code.flags & kFtz) != 0) d.refuse(".ftz of halves is not covered");
  const bool sat = (d.draft.code.flags & kSat) != 0;
  return sat ? halves<Shape, Lifted<Saturated<Op>>>(type) : halves<Shape, Lifted<Op>>(type);
}

template <class Op>
Handler two(Decoder& d, Type type, bool rounds) {
  const bool care = take_care(d, rounds);
  if (is_small(type)) return of_halves<Binary, Op>(d, type);
  return care ? choose<Careful2, Op, float, double>(type)
              : choose<Binary, Lifted<Op>, float, double>(type);
}

template <class Op>
void one(Decoder& d) {
  static constexpr std::string_view kHowWell[] = {"approx", "full"};
  d.ignore(kHowWell);
  const Type type = d.take_type();
  const bool care = take_care(d, true);
  need(d, care ? choose<Careful1, Op, float, double>(type)
               : choose<Unary, Lifted<Op>, float, double>(type));
  operands(d, type, 2);
}

template <class Op>
void one_of_any(Decoder& d) {  // ex2, tanh: of halves as well
  d.take("approx");
  const Type type = d.take_type();
  if (is_small(type)) {
    d.take("ftz");
    need(d, halves<Unary, Lifted<Op>>(type));
  } else {
    const bool care = take_care(d, false);
    need(d, care ? choose<Careful1, Op, float>(type) : choose<Unary, Lifted<Op>, float>(type));
  }
  operands(d, type, 2);
}

// Changes only the sign bit, even of NaNs.
template <class Op, class T>
struct Sign {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T mask = static_cast<T>(i.value);
    each(lanes, [&](unsigned l) { d[l] = Op::of(a[l], mask); });
  }
};
struct Flip {
  template <class T>
  static T of(T a, T mask) {
    return static_cast<T>(a ^ mask);
  }
};
struct Clear {
  template <class T>
  static T of(T a, T mask) {
    return static_cast<T>(a & ~mask);
  }
};

template <class T>
struct Copysign {  // copysign d, a, b: the sign of a, the rest of b
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    each(lanes, [&](unsigned l) { d[l] = std::copysign(b[l], a[l]); });
  }
};

void copysign(Decoder& d) {
  const Type type = d.take_type();
  need(d, type == Type::kF32   ? Copysign<float>::run
          : type == Type::kF64 ? Copysign<double>::run
                               : nullptr);
  operands(d, type, 3);
}

void fma(Decoder& d) { decode_fma(d, d.take_type()); }

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"fma", fma},          {"sqrt", one<Sqrt>},      {"rcp", one<Rcp>},
    {"rsqrt", one<Rsqrt>}, {"sin", one<Sin>},        {"cos", one<Cos>},
    {"lg2", one<Lg2>},     {"ex2", one_of_any<Ex2>}, {"tanh", one_of_any<Tanh>},
    {"copysign", copysign}};

}  // namespace

void decode_float_binary(Decoder& d, Type type, FloatOp op) {
  Handler run = nullptr;
  const bool nan = (op == FloatOp::kMin || op == FloatOp::kMax) && d.take("NaN");
  switch (op) {
    case FloatOp::kAdd:
      run = two<Add>(d, type, true);
      break;
    case FloatOp::kSub:
      run = two<Sub>(d, type, true);
      break;
    case FloatOp::kMul:
      run = two<Mul>(d, type, true);
      break;
    case FloatOp::kDiv: {
      static constexpr std::string_view kHowWell[] = {"approx", "full"};
      d.ignore(kHowWell);
      run = is_small(type) ? nullptr : two<Div>(d, type, true);
      break;
    }
    case FloatOp::kMin:
      run = nan ? two<Extreme<true, true>>(d, type, false)
                : two<Extreme<true, false>>(d, type, false);
      break;
    case FloatOp::kMax:
      run = nan ? two<Extreme<false, true>>(d, type, false)
                : two<Extreme<false, false>>(d, type, false);
      break;
    default:
      break;
  }
  need(d, run);
  operands(d, type, 3);
}

void decode_float_sign(Decoder& d, Type type, FloatOp op) {
  // .ftz must inspect the value; clang emits no .ftz here.
  const bool negate = op == FloatOp::kNeg;
  const bool pair = type == Type::kF16x2 || type == Type::kBf16x2;
  switch (bytes_of(type)) {
    case 2:
      d.draft.code.value = 0x8000;
      d.draft.code.run = negate ? Sign<Flip, std::uint16_t>::run : Sign<Clear, std::uint16_t>::run;
      break;
    case 4:
      d.draft.code.value = pair ? 0x80008000 : 0x80000000;
      d.draft.code.run = negate ? Sign<Flip, std::uint32_t>::run : Sign<Clear, std::uint32_t>::run;
      break;
    default:
      d.draft.code.value = static_cast<std::int64_t>(1ULL << 63);
      d.draft.code.run = negate ? Sign<Flip, std::uint64_t>::run : Sign<Clear, std::uint64_t>::run;
      break;
  }
  if (!is_float(type) && !pair) d.refuse("its type is not covered");
  if (type == Type::kF32 && d.take("ftz")) {
    struct Negated {
      static float of(float a) { return -a; }
    };
    struct Absolute {
      static float of(float a) { return std::fabs(a); }
    };
    d.draft.code.flags = kFtz;
    d.draft.code.run = negate ? Careful<Negated, float, 1>::run : Careful<Absolute, float, 1>::run;
  }
  operands(d, type, 2);
}

void decode_fma(Decoder& d, Type type) {
  const bool care = take_care(d, true);
  if (is_small(type)) {
    need(d, of_halves<Ternary, FmaOfHalves>(d, type));
  } else if (care) {
    need(d, choose<Careful3, Fma, float, double>(type));
  } else {
    const Handler portable = choose<Ternary, Lifted<Fma>, float, double>(type);
    const Handler fast = portable == nullptr ? nullptr : fast_fma(type);
    need(d, fast != nullptr ? fast : portable);
  }
  operands(d, type, 4);
}

OpcodeTable float_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
