// Bits: and or xor not cnot shl shr shf popc clz brev bfind bfe bfi prmt lop3 bmsk.
#include <algorithm>

#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/rows.h"

namespace sim::ptx {
namespace {

struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T of(T a) {
    return a == 0;
  }
};

// Shifts by the width or more leave zero, or the sign.
template <class T>
constexpr std::uint32_t width = 8 * sizeof(T);

template <class, class T>
struct Shl {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    each(lanes, [&](unsigned l) { d[l] = b[l] >= width<T> ? T{0} : static_cast<T>(a[l] << b[l]); });
  }
};
template <class, class T>
struct Shr {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    each(lanes, [&](unsigned l) {
      const std::uint32_t last = width<T> - 1;
      const T half = static_cast<T>(a[l] >> std::min(b[l], last));
      d[l] = b[l] > last ? static_cast<T>(half >> 1 >> (last - 1)) : half;
    });
  }
};

struct Popc {
  template <class T>
  static std::uint32_t of(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  static std::uint32_t of(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
// The highest bit that differs from the sign. As a shift amount, it is counted from the top.
struct Bfind {
  template <class T>
  static std::uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
    return bits == 0 ? ~0U : width<T> - 1 - static_cast<std::uint32_t>(std::countl_zero(bits));
  }
};
struct BfindShift {
  template <class T>
  static std::uint32_t of(T a) {
    const std::uint32_t bit = Bfind::of(a);
    return bit == ~0U ? bit : width<T> - 1 - bit;
  }
};
struct Brev {
  template <class T>
  static T of(T a) {
    T r = 0;
    for (std::uint32_t k = 0; k < width<T>; ++k) r = static_cast<T>(r << 1 | (a >> k & 1));
    return r;
  }
};

// Counts and positions are always 32 bits wide.
template <class Op, class T>
struct Count {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    each(lanes, [&](unsigned l) { d[l] = Op::of(a[l]); });
  }
};

// Bits [position, position + length) of a, with the sign (the field's highest bit) in front.
template <class, class T>
struct Bfe {
  static T of(T a, std::uint32_t position, std::uint32_t length) {
    using U = std::make_unsigned_t<T>;
    const std::uint32_t msb = width<T> - 1;
    position &= 255;
    length &= 255;
    if (length == 0) return 0;
    const bool sign =
        a < 0 && position + length > msb
            ? true
            : std::is_signed_v<T> &&
                  (static_cast<U>(a) >> std::min(position + length - 1, msb) & 1) != 0;
    U field = position > msb ? U{0} : static_cast<U>(static_cast<U>(a) >> position);
    const std::uint32_t held = position > msb ? 0 : std::min(length, msb + 1 - position);
    if (held <= msb) {
      const U mask = static_cast<U>((U{1} << held) - 1);
      field = static_cast<U>(field & mask);
      if (sign) field = static_cast<U>(field | static_cast<U>(~mask));
    }
    return static_cast<T>(field);
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    const auto* c = row<std::uint32_t>(w, i.row[3]);
    each(lanes, [&](unsigned l) { d[l] = of(a[l], b[l], c[l]); });
  }
};
template <class, class T>
struct Bfi {
  static T of(T a, T b, std::uint32_t position, std::uint32_t length) {
    position &= 255;
    length &= 255;
    if (position >= width<T> || length == 0) return b;
    const T low = length >= width<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
    const T mask = static_cast<T>(low << position);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    const auto* c = row<std::uint32_t>(w, i.row[3]);
    const auto* e = row<std::uint32_t>(w, i.row[4]);
    each(lanes, [&](unsigned l) { d[l] = of(a[l], b[l], c[l], e[l]); });
  }
};

std::uint32_t byte_of(std::uint64_t pair, std::uint32_t selector) {
  const auto byte = static_cast<std::uint32_t>(pair >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
}
// prmt's modes, by the bits of c that choose: which byte of the pair goes to byte k.
std::uint32_t selector_of(std::uint8_t mode, std::uint32_t c, std::uint32_t k) {
  const std::uint32_t s = c & 3;
  switch (mode) {
    case 1:
      return (s + k) & 7;  // f4e
    case 2:
      return (s - k) & 7;  // b4e
    case 3:
      return s;  // rc8
    case 4:
      return std::max(k, s);  // ecl
    case 5:
      return std::min(k, s);  // ecr
    case 6:
      return 2 * (s & 1) + (k & 1);  // rc16
    default:
      return c >> (4 * k) & 15;
  }
}
struct Prmt {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto* a = row<std::uint32_t>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    const auto* c = row<std::uint32_t>(w, i.row[3]);
    each(lanes, [&](unsigned l) {
      const std::uint64_t pair = a[l] | std::uint64_t{b[l]} << 32;
      std::uint32_t r = 0;
      for (std::uint32_t k = 0; k < 4; ++k) {
        r |= byte_of(pair, selector_of(i.sub, c[l], k)) << (8 * k);
      }
      d[l] = r;
    });
  }
};

struct Lop3 {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto* a = row<std::uint32_t>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    const auto* c = row<std::uint32_t>(w, i.row[3]);
    each(lanes, [&](unsigned l) {
      std::uint32_t r = 0;
      for (std::uint32_t k = 0; k < 8; ++k) {
        if ((i.value >> k & 1) == 0) continue;
        r |= ((k & 4) != 0 ? a[l] : ~a[l]) & ((k & 2) != 0 ? b[l] : ~b[l]) &
             ((k & 1) != 0 ? c[l] : ~c[l]);
      }
      d[l] = r;
    });
  }
};

// Funnel shifts of the pair b:a. sub: 1 right; flags: 1 clamps the amount, else it wraps.
struct Shf {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto* a = row<std::uint32_t>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    const auto* c = row<std::uint32_t>(w, i.row[3]);
    each(lanes, [&](unsigned l) {
      const std::uint32_t n = i.flags != 0 ? std::min(c[l], 32U) : c[l] & 31;
      const std::uint64_t pair = a[l] | std::uint64_t{b[l]} << 32;
      d[l] = static_cast<std::uint32_t>(i.sub != 0 ? pair >> n : pair << n >> 32);
    });
  }
};

struct Bmsk {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto* a = row<std::uint32_t>(w, i.row[1]);
    const auto* b = row<std::uint32_t>(w, i.row[2]);
    each(lanes, [&](unsigned l) {
      const std::uint32_t at = i.flags != 0 ? std::min(a[l], 32U) : a[l] & 31;
      const std::uint32_t length = i.flags != 0 ? std::min(b[l], 32U) : b[l] & 31;
      d[l] = static_cast<std::uint32_t>(((1ULL << length) - 1) << at);
    });
  }
};

template <class Op>
struct OnPredicates {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const Lanes a = predicate(w, i.row[1]) ^ ((i.sub & 1) != 0 ? kAllLanes : 0);
    const Lanes b = predicate(w, i.row[2]) ^ ((i.sub & 2) != 0 ? kAllLanes : 0);
    set_predicate(w, i.row[0], lanes, Op::of(a, b));
  }
};
struct NotPredicate {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    set_predicate(w, i.row[0], lanes, ~predicate(w, i.row[1]));
  }
};

void need(Decoder& d, Handler run) {
  if (run == nullptr) d.refuse("its type is not covered");
  d.draft.code.run = run;
}

void same_types(Decoder& d, Type type, std::size_t operands) {
  d.expect_operands(operands, operands);
  d.define(d.operand(0), type);
  for (std::size_t n = 1; n < operands; ++n) d.use(d.operand(n), type);
}

template <class Op>
void logic(Decoder& d) {
  const Type type = d.take_type();
  if (type == Type::kPred) {
    d.draft.code.run = OnPredicates<Op>::run;
    d.expect_operands(3, 3);
    d.define(d.operand(0), type);
    d.draft.code.sub = static_cast<std::uint8_t>((d.use_predicate(d.operand(1)) ? 1 : 0) |
                                                 (d.use_predicate(d.operand(2)) ? 2 : 0));
    return;
  }
  need(d, is_bits(type) ? by_unsigned<Binary, Op>(type) : nullptr);
  same_types(d, type, 3);
}

void not_(Decoder& d) {
  const Type type = d.take_type();
  if (type == Type::kPred)
    d.draft.code.run = NotPredicate::run;
  else
    need(d, is_bits(type) ? by_unsigned<Unary, Not>(type) : nullptr);
  same_types(d, type, 2);
}
void cnot(Decoder& d) {
  const Type type = d.take_type();
  need(d, is_bits(type) ? by_unsigned<Unary, Cnot>(type) : nullptr);
  same_types(d, type, 2);
}

void shift(Decoder& d, Type type) {
  d.expect_operands(3, 3);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), Type::kU32);
}
void shl(Decoder& d) {
  const Type type = d.take_type();
  need(d, is_bits(type) ? by_unsigned<Shl, void>(type) : nullptr);
  shift(d, type);
}
void shr(Decoder& d) {
  const Type type = d.take_type();
  need(d, by_integer<Shr, void>(type));
  shift(d, type);
}

template <class Op>
void count(Decoder& d) {
  const Type type = d.take_type();
  need(d, is_bits(type) ? choose<Count, Op, std::uint32_t, std::uint64_t>(type) : nullptr);
  d.expect_operands(2, 2);
  d.define(d.operand(0), Type::kU32);
  d.use(d.operand(1), type);
}
void bfind(Decoder& d) {
  const bool shift_amount = d.take("shiftamt");
  const Type type = d.take_type();
  need(d,
       shift_amount
           ? choose<Count, BfindShift, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>(
                 type)
           : choose<Count, Bfind, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>(type));
  d.expect_operands(2, 2);
  d.define(d.operand(0), Type::kU32);
  d.use(d.operand(1), type);
}
void brev(Decoder& d) {
  const Type type = d.take_type();
  need(d, choose<Unary, Brev, std::uint32_t, std::uint64_t>(type));
  same_types(d, type, 2);
}
void bfe(Decoder& d) {
  const Type type = d.take_type();
  need(d, choose<Bfe, void, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>(type));
  d.expect_operands(4, 4);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), Type::kU32);
  d.use(d.operand(3), Type::kU32);
}
void bfi(Decoder& d) {
  const Type type = d.take_type();
  need(d, choose<Bfi, void, std::uint32_t, std::uint64_t>(type));
  d.expect_operands(5, 5);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
  d.use(d.operand(3), Type::kU32);
  d.use(d.operand(4), Type::kU32);
}

void prmt(Decoder& d) {
  static constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  if (d.take_type() != Type::kB32) d.refuse("its type is not covered");
  d.draft.code.sub = static_cast<std::uint8_t>(d.take_one(kModes) + 1);
  d.draft.code.run = Prmt::run;
  same_types(d, Type::kB32, 4);
}
void lop3(Decoder& d) {
  if (d.take_type() != Type::kB32) d.refuse("its type is not covered");
  d.expect_operands(5, 5);
  d.draft.code.run = Lop3::run;
  d.define(d.operand(0), Type::kB32);
  for (std::size_t n = 1; n < 4; ++n) d.use(d.operand(n), Type::kB32);
  if (d.operand(4).kind != OperandSource::Kind::kLiteral) d.refuse("its table is no number");
  d.draft.code.value = static_cast<std::int64_t>(d.operand(4).bits & 0xff);
}
void shf(Decoder& d) {
  d.draft.code.sub = d.take("r") ? 1 : 0;
  if (d.draft.code.sub == 0 && !d.take("l")) d.refuse("neither .l nor .r is there");
  d.draft.code.flags = d.take("clamp") ? 1 : 0;
  if (d.draft.code.flags == 0 && !d.take("wrap")) d.refuse("neither .clamp nor .wrap is there");
  if (d.take_type() != Type::kB32) d.refuse("its type is not covered");
  d.draft.code.run = Shf::run;
  same_types(d, Type::kB32, 4);
}
void bmsk(Decoder& d) {
  d.draft.code.flags = d.take("clamp") ? 1 : 0;
  if (d.draft.code.flags == 0 && !d.take("wrap")) d.refuse("neither .clamp nor .wrap is there");
  if (d.take_type() != Type::kB32) d.refuse("its type is not covered");
  d.draft.code.run = Bmsk::run;
  same_types(d, Type::kB32, 3);
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"and", logic<And>},   {"or", logic<Or>},   {"xor", logic<Xor>}, {"not", not_},
    {"cnot", cnot},        {"shl", shl},        {"shr", shr},        {"shf", shf},
    {"popc", count<Popc>}, {"clz", count<Clz>}, {"bfind", bfind},    {"brev", brev},
    {"bfe", bfe},          {"bfi", bfi},        {"prmt", prmt},      {"lop3", lop3},
    {"bmsk", bmsk}};

}  // namespace

OpcodeTable bit_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
