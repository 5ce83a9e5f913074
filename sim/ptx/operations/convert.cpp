// cvt: between all numbers. Each conversion rounds once.
#include <limits>
#include <type_traits>

#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/float_lift.h"

namespace sim::ptx {
namespace {

constexpr std::uint8_t kRelu = 4;  // flags, beside kFtz and kSat
constexpr std::uint8_t kFinite = 8;
constexpr std::uint8_t kWhole = 16;  // a float becomes a whole float

// Registers may be wider than the type. The sign, or zero, fills the remaining bits.
template <class To>
void put(std::byte* to, unsigned bytes, unsigned lane, To value) {
  // The conversion to 64 bits extends by the sign or by zero, as the type is.
  const auto wide = static_cast<std::uint64_t>(
      static_cast<std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t>>(value));
  if (bytes == 8) {
    reinterpret_cast<std::uint64_t*>(to)[lane] = wide;
  } else if (bytes == 4) {
    reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(wide);
  } else {
    reinterpret_cast<std::uint16_t*>(to)[lane] = static_cast<std::uint16_t>(wide);
  }
}

template <class T>
T get(const std::byte* from, unsigned bytes, unsigned lane) {
  if (bytes == 8) return static_cast<T>(reinterpret_cast<const std::uint64_t*>(from)[lane]);
  if (bytes == 4) return static_cast<T>(reinterpret_cast<const std::uint32_t*>(from)[lane]);
  return static_cast<T>(reinterpret_cast<const std::uint16_t*>(from)[lane]);
}

// Widths of the registers: the result's in the low half of `count`, the operand's in the high one.
unsigned to_bytes(const Instruction& i) { return i.count & 15U; }
unsigned from_bytes(const Instruction& i) { return i.count >> 4; }

template <class To, class From>
To clamped(From value) {
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

// The common conversions, between registers of exactly their types: a plain loop.
template <class To, class From>
void plain(Warp& w, const Instruction& i, Lanes lanes) {
  To* d = row<To>(w, i.row[0]);
  const From* a = row<From>(w, i.row[1]);
  each(lanes, [&](unsigned l) { d[l] = static_cast<To>(a[l]); });
}

template <class To, class From>
struct IntegerToInteger {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    std::byte* d = row<std::byte>(w, i.row[0]);
    const std::byte* a = row<std::byte>(w, i.row[1]);
    each(lanes, [&](unsigned l) {
      const From value = get<From>(a, from_bytes(i), l);
      put<To>(d, to_bytes(i), l,
              (i.flags & kSat) != 0 ? clamped<To>(value) : static_cast<To>(value));
    });
  }
};

// Formats of floats, as rows.
struct F16 {
  static constexpr Format format = kHalf;
  using Bits = std::uint16_t;
};
struct Bf16 {
  static constexpr Format format = kBfloat;
  using Bits = std::uint16_t;
};
struct F32 {
  static constexpr Format format = kSingle;
  using Bits = std::uint32_t;
};
struct F64 {
  static constexpr Format format = kDouble;
  using Bits = std::uint64_t;
};

template <class F>
double read(typename F::Bits bits) {
  if constexpr (std::is_same_v<F, F64>) return std::bit_cast<double>(bits);
  if constexpr (std::is_same_v<F, F32>) return static_cast<double>(std::bit_cast<float>(bits));
  if constexpr (std::is_same_v<F, F16>) return static_cast<double>(widen(Half{bits}));
  if constexpr (std::is_same_v<F, Bf16>) return static_cast<double>(widen(Bfloat{bits}));
}

template <class F>
typename F::Bits write(double value, Round round, bool finite) {
  using Bits = typename F::Bits;
  if constexpr (std::is_same_v<F, F64>) return std::bit_cast<std::uint64_t>(value);
  if constexpr (std::is_same_v<F, F32>) {
    if (round == Round::kNearest)
      return std::bit_cast<std::uint32_t>(canonical(static_cast<float>(value)));
  }
  return static_cast<Bits>(round_to(F::format, value, round, finite));
}

double whole(double value, Round round) {
  switch (round) {
    case Round::kZero:
      return std::trunc(value);
    case Round::kDown:
      return std::floor(value);
    case Round::kUp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

template <class To, class From>
struct FloatToFloat {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<typename To::Bits>(w, i.row[0]);
    const auto* a = row<typename From::Bits>(w, i.row[1]);
    const auto round = static_cast<Round>(i.sub);
    each(lanes, [&](unsigned l) {
      double value = read<From>(a[l]);
      if ((i.flags & kFtz) != 0 && std::is_same_v<From, F32>)
        value = static_cast<double>(flushed(static_cast<float>(value)));
      if ((i.flags & kWhole) != 0) value = whole(value, round);
      if ((i.flags & kSat) != 0) value = saturated(value);
      if ((i.flags & kRelu) != 0 && value <= 0) value = 0;
      auto bits = write<To>(value, (i.flags & kWhole) != 0 ? Round::kNearest : round,
                            (i.flags & kFinite) != 0);
      if ((i.flags & kFtz) != 0 && std::is_same_v<To, F32>) {
        bits = static_cast<typename To::Bits>(std::bit_cast<std::uint32_t>(
            flushed(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))));
      }
      d[l] = bits;
    });
  }
};

template <class To, class From>
struct FloatToInteger {
  static To of(double value) {  // NaN becomes 0; what lies outside the nearest bound
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    // The largest 64-bit integer is not a double, but the next power of two is.
    if (value >= std::ldexp(1.0, std::numeric_limits<To>::digits))
      return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    std::byte* d = row<std::byte>(w, i.row[0]);
    const auto* a = row<typename From::Bits>(w, i.row[1]);
    const auto round = static_cast<Round>(i.sub);
    each(lanes, [&](unsigned l) {
      double value = read<From>(a[l]);
      if ((i.flags & kFtz) != 0 && std::is_same_v<From, F32>)
        value = static_cast<double>(flushed(static_cast<float>(value)));
      put<To>(d, to_bytes(i), l, of(whole(value, round)));
    });
  }
};

template <class To, class From>
struct IntegerToFloat {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<typename To::Bits>(w, i.row[0]);
    const std::byte* a = row<std::byte>(w, i.row[1]);
    const auto round = static_cast<Round>(i.sub);
    each(lanes, [&](unsigned l) {
      const From value = get<From>(a, from_bytes(i), l);
      const bool negative = value < 0;
      const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      const std::uint64_t magnitude = std::is_unsigned_v<From> ? static_cast<std::uint64_t>(value)
                                      : negative               ? 0 - wide
                                                               : wide;
      auto bits = round_to(To::format, negative, magnitude, 0, false, round);
      if ((i.flags & kSat) != 0)
        bits = magnitude == 0 || negative ? 0 : round_to(To::format, 1.0, round);
      d[l] = static_cast<typename To::Bits>(bits);
    });
  }
};

// Two numbers at once: cvt.rn.f16x2.f32 d, high, low; cvt.….e4m3x2.f32; cvt.….e4m3x2.f16x2; and the
// reverse.
template <class To>
struct PairOfSingles {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    constexpr int kBits = To::format.exponent + To::format.mantissa + 1;
    using Bits = std::conditional_t<kBits == 8, std::uint16_t, std::uint32_t>;
    auto* d = row<Bits>(w, i.row[0]);
    const auto* high = row<float>(w, i.row[1]);
    const auto* low = row<float>(w, i.row[2]);
    const auto one = [&](float value) {
      if ((i.flags & kRelu) != 0 && value <= 0) value = 0;
      return round_to(To::format, static_cast<double>(value), static_cast<Round>(i.sub),
                      (i.flags & kFinite) != 0);
    };
    each(lanes, [&](unsigned l) { d[l] = static_cast<Bits>(one(high[l]) << kBits | one(low[l])); });
  }
};
struct E4m3 {
  static constexpr Format format = kE4m3;
};
struct E5m2 {
  static constexpr Format format = kE5m2;
};

template <class To>
struct EightOfHalves {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint16_t>(w, i.row[0]);
    const auto* a = row<std::uint32_t>(w, i.row[1]);
    const auto one = [&](std::uint32_t bits) {
      double value = read<F16>(static_cast<std::uint16_t>(bits));
      if ((i.flags & kRelu) != 0 && value <= 0) value = 0;
      return round_to(To::format, value, Round::kNearest, true);
    };
    each(lanes, [&](unsigned l) {
      d[l] = static_cast<std::uint16_t>(one(a[l] >> 16) << 8 | one(a[l] & 0xffff));
    });
  }
};
template <class From>
struct HalvesOfEight {
  static std::uint16_t one(std::uint32_t bits) {
    double value = value_of(From::format, bits & 0xff);
    return static_cast<std::uint16_t>(round_to(kHalf, value, Round::kNearest));
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    static const auto* const kTable = [] {
      auto* table = new std::array<std::uint16_t, 256>;
      for (std::uint32_t k = 0; k < 256; ++k) (*table)[k] = one(k);
      return table;
    }();
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto* a = row<std::uint16_t>(w, i.row[1]);
    each(lanes, [&](unsigned l) {
      const std::uint32_t high = (*kTable)[a[l] >> 8];
      d[l] = high << 16 | (*kTable)[a[l] & 0xff];
    });
  }
};

template <template <class, class> class Shape, class To>
Handler from_integer(Type from) {
  switch (from) {
    case Type::kU8:
    case Type::kB8:
      return Shape<To, std::uint8_t>::run;
    case Type::kS8:
      return Shape<To, std::int8_t>::run;
    case Type::kU16:
    case Type::kB16:
      return Shape<To, std::uint16_t>::run;
    case Type::kS16:
      return Shape<To, std::int16_t>::run;
    case Type::kU32:
    case Type::kB32:
      return Shape<To, std::uint32_t>::run;
    case Type::kS32:
      return Shape<To, std::int32_t>::run;
    case Type::kU64:
    case Type::kB64:
      return Shape<To, std::uint64_t>::run;
    case Type::kS64:
      return Shape<To, std::int64_t>::run;
    default:
      return nullptr;
  }
}
template <template <class, class> class Shape, class To>
Handler from_float(Type from) {
  switch (from) {
    case Type::kF16:
      return Shape<To, F16>::run;
    case Type::kBf16:
      return Shape<To, Bf16>::run;
    case Type::kF32:
      return Shape<To, F32>::run;
    case Type::kF64:
      return Shape<To, F64>::run;
    default:
      return nullptr;
  }
}
template <class To>
Handler to_integer(Type from) {
  return is_float(from) ? from_float<FloatToInteger, To>(from)
                        : from_integer<IntegerToInteger, To>(from);
}
template <class To>
Handler to_float(Type from) {
  return is_float(from) ? from_float<FloatToFloat, To>(from)
                        : from_integer<IntegerToFloat, To>(from);
}

Handler handler_of(Type to, Type from) {
  switch (to) {
    case Type::kU8:
      return to_integer<std::uint8_t>(from);
    case Type::kS8:
      return to_integer<std::int8_t>(from);
    case Type::kU16:
      return to_integer<std::uint16_t>(from);
    case Type::kS16:
      return to_integer<std::int16_t>(from);
    case Type::kU32:
      return to_integer<std::uint32_t>(from);
    case Type::kS32:
      return to_integer<std::int32_t>(from);
    case Type::kU64:
      return to_integer<std::uint64_t>(from);
    case Type::kS64:
      return to_integer<std::int64_t>(from);
    case Type::kF16:
      return to_float<F16>(from);
    case Type::kBf16:
      return to_float<Bf16>(from);
    case Type::kF32:
      return to_float<F32>(from);
    case Type::kF64:
      return to_float<F64>(from);
    default:
      return nullptr;
  }
}

// The plain handler, for conversions without modifiers between registers of exactly their size.
Handler plain_of(Type to, Type from, const Instruction& i) {
  if (i.flags != 0 || to_bytes(i) != bytes_of(to) || from_bytes(i) != bytes_of(from))
    return nullptr;
  struct Known {
    Type to, from;
    Handler run;
  };
  using enum Type;
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  using s16 = std::int16_t;
  using s32 = std::int32_t;
  using s64 = std::int64_t;
  static constexpr Known kKnown[] = {
      {kU64, kU32, plain<u64, u32>}, {kU32, kU64, plain<u32, u64>}, {kS64, kS32, plain<s64, s32>},
      {kU16, kU32, plain<u16, u32>}, {kU32, kU16, plain<u32, u16>}, {kU16, kU64, plain<u16, u64>},
      {kU64, kU16, plain<u64, u16>}, {kS32, kS16, plain<s32, s16>}, {kS64, kS16, plain<s64, s16>}};
  for (const Known& known : kKnown) {
    if (known.to == to && known.from == from) return known.run;
  }
  if (static_cast<Round>(i.sub) != Round::kNearest) return nullptr;
  static constexpr Known kFloats[] = {{kF32, kS32, plain<float, s32>},
                                      {kF32, kU32, plain<float, u32>},
                                      {kF64, kS32, plain<double, s32>},
                                      {kF64, kU32, plain<double, u32>}};
  for (const Known& known : kFloats) {
    if (known.to == to && known.from == from) return known.run;
  }
  return nullptr;
}

bool take_pairs(Decoder& d, Type to, Type from) {
  const bool singles = from == Type::kF32;
  Handler run = nullptr;
  Type result = Type::kB32;
  if (to == Type::kF16x2 && singles)
    run = PairOfSingles<F16>::run;
  else if (to == Type::kBf16x2 && singles)
    run = PairOfSingles<Bf16>::run;
  else if (from == Type::kE4m3x2 && to == Type::kF16x2)
    run = HalvesOfEight<E4m3>::run;
  else if (from == Type::kE5m2x2 && to == Type::kF16x2)
    run = HalvesOfEight<E5m2>::run;
  else if (to == Type::kE4m3x2 || to == Type::kE5m2x2) {
    result = Type::kB16;
    const bool e4m3 = to == Type::kE4m3x2;
    if ((d.draft.code.flags & kFinite) == 0) d.refuse("it is not .satfinite");
    if (singles)
      run = e4m3 ? PairOfSingles<E4m3>::run : PairOfSingles<E5m2>::run;
    else if (from == Type::kF16x2)
      run = e4m3 ? EightOfHalves<E4m3>::run : EightOfHalves<E5m2>::run;
  } else if (from != Type::kE4m3x2 && from != Type::kE5m2x2) {
    return false;
  }
  if (run == nullptr) d.refuse("its types are not covered");
  d.draft.code.run = run;
  d.expect_operands(singles ? 3 : 2, singles ? 3 : 2);
  d.define(d.operand(0), result);
  d.use(d.operand(1), from == Type::kE4m3x2 || from == Type::kE5m2x2 ? Type::kB16 : Type::kB32);
  if (singles) d.use(d.operand(2), Type::kB32);
  return true;
}

void cvt(Decoder& d) {
  static constexpr std::string_view kRoundings[] = {"rn", "rz", "rm", "rp", "rna"};
  static constexpr std::string_view kWholes[] = {"rni", "rzi", "rmi", "rpi"};
  const int round = d.take_one(kRoundings);
  const int to_whole = d.take_one(kWholes);
  const Type to = d.take_type();
  const Type from = d.take_type();
  d.draft.code.sub = static_cast<std::uint8_t>(std::max(std::max(round, to_whole), 0));
  d.draft.code.flags =
      static_cast<std::uint8_t>((d.take("ftz") ? kFtz : 0) | (d.take("sat") ? kSat : 0) |
                                (d.take("relu") ? kRelu : 0) | (d.take("satfinite") ? kFinite : 0));
  if (take_pairs(d, to, from)) return;
  if (is_float(to) && is_float(from)) {
    if (to_whole >= 0) d.draft.code.flags |= kWhole;
    if (bytes_of(to) < bytes_of(from) && round < 0 && to_whole < 0)
      d.refuse("its rounding is missing");
  } else if (is_float(to) && round < 0) {
    d.refuse("its rounding is missing");
  } else if (is_float(from) && to_whole < 0) {
    d.refuse("its rounding to a whole number is missing");
  }
  if ((d.draft.code.flags & (kRelu | kFinite)) != 0 && !(is_float(to) && is_float(from)))
    d.refuse("a modifier does not fit its types");
  d.expect_operands(2, 2);
  const auto width = [&](const OperandSource& operand, Type type) {
    const unsigned is = bytes_of(d.type_of(operand));
    return is != 0 ? is : std::max(bytes_of(type), 2U);
  };
  d.draft.code.count =
      static_cast<std::uint8_t>(width(d.operand(0), to) | width(d.operand(1), from) << 4);
  const Handler fast = plain_of(to, from, d.draft.code);
  d.draft.code.run = fast != nullptr ? fast : handler_of(to, from);
  if (d.draft.code.run == nullptr) d.refuse("its types are not covered");
  if (is_float(to))
    d.define(d.operand(0), to);
  else
    d.define_wide(d.operand(0), std::max(bytes_of(to), 2U));
  if (is_float(from))
    d.use(d.operand(1), from);
  else
    d.use_wide(d.operand(1), from);
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {{"cvt", cvt}};

}  // namespace

OpcodeTable convert_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
