// Comparison and choice: setp set selp slct testp.
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/float_lift.h"

namespace sim::ptx {
namespace {

// For floats, eq … ge are false with a NaN, and equ … geu are true. lo ls hi hs are the unsigned lt
// le gt ge.
constexpr std::string_view kCompare[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                         "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                         "ltu", "leu", "gtu", "geu", "num", "nan"};

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

struct Eq {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool of(T a, T b) {
    return a < b || a > b;
  }
};
struct Lt {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool of(T a, T b) {
    return a >= b;
  }
};
struct Equ {
  template <class T>
  static bool of(T a, T b) {
    return !Ne::of(a, b);
  }
};
struct Neu {
  template <class T>
  static bool of(T a, T b) {
    return a != b;
  }
};
struct Ltu {
  template <class T>
  static bool of(T a, T b) {
    return !(a >= b);
  }
};
struct Leu {
  template <class T>
  static bool of(T a, T b) {
    return !(a > b);
  }
};
struct Gtu {
  template <class T>
  static bool of(T a, T b) {
    return !(a <= b);
  }
};
struct Geu {
  template <class T>
  static bool of(T a, T b) {
    return !(a < b);
  }
};
struct Num {
  template <class T>
  static bool of(T a, T b) {
    return !is_nan(a) && !is_nan(b);
  }
};
struct Nan {
  template <class T>
  static bool of(T a, T b) {
    return is_nan(a) || is_nan(b);
  }
};

constexpr std::uint8_t kAnd = 1, kOr = 2, kNegated = 4;  // sub; 3: xor
constexpr std::uint8_t kFlush = 1;                       // flags

template <class Op, class T>
Lanes compared(const T* a, const T* b, Lanes lanes, bool ftz) {
  Lanes result = 0;
  const auto compare = [&](unsigned l) {
    if constexpr (requires { widen(a[l]); }) {
      return Op::of(widen(a[l]), widen(b[l]));
    } else if constexpr (std::is_same_v<T, float>) {
      return ftz ? Op::of(flushed(a[l]), flushed(b[l])) : Op::of(a[l], b[l]);
    } else {
      return Op::of(a[l], b[l]);
    }
  };
  if (lanes == kAllLanes) {
    for (unsigned l = 0; l < kLanes; ++l) result |= Lanes{compare(l)} << l;
  } else {
    each(lanes, [&](unsigned l) { result |= Lanes{compare(l)} << l; });
  }
  return result;
}

template <class Op, class T>
struct Setp {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    Lanes p = compared<Op>(row<T>(w, i.row[2]), row<T>(w, i.row[3]), lanes, i.flags != 0);
    Lanes q = ~p;
    if (i.sub != 0) {
      Lanes c = predicate(w, i.row[4]);
      if ((i.sub & kNegated) != 0) c = ~c;
      switch (i.sub & 3) {
        case kAnd:
          p &= c;
          q &= c;
          break;
        case kOr:
          p |= c;
          q |= c;
          break;
        default:
          p ^= c;
          q ^= c;
          break;
      }
    }
    set_predicate(w, i.row[0], lanes, p);
    set_predicate(w, i.row[1], lanes, q);
  }
};

// set: all ones (or 1.0) if the comparison holds.
template <class Op, class T>
struct Set {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const Lanes p = compared<Op>(row<T>(w, i.row[1]), row<T>(w, i.row[2]), lanes, i.flags != 0);
    auto* d = row<std::uint32_t>(w, i.row[0]);
    const auto yes = static_cast<std::uint32_t>(i.value);
    each(lanes, [&](unsigned l) { d[l] = (p >> l & 1) != 0 ? yes : 0; });
  }
};

template <template <class, class> class Shape, class Op>
Handler of_type(Type type) {
  const Handler integer = by_integer<Shape, Op>(type);
  return integer != nullptr ? integer : choose<Shape, Op, float, double, Half, Bfloat>(type);
}

template <template <class, class> class Shape>
Handler of_comparison(Decoder& d, int compare, Type type) {
  static constexpr Type kUnsigned[] = {Type::kU16, Type::kU32, Type::kU64};
  switch (compare) {
    case 0:
      return of_type<Shape, Eq>(type);
    case 1:
      return of_type<Shape, Ne>(type);
    case 6:
    case 7:
    case 8:
    case 9: {
      if (type != kUnsigned[0] && type != kUnsigned[1] && type != kUnsigned[2] && !is_bits(type)) {
        d.refuse("lo ls hi hs compare unsigned numbers");
      }
      return of_comparison<Shape>(d, compare - 4, type);
    }
    case 2:
      return of_type<Shape, Lt>(type);
    case 3:
      return of_type<Shape, Le>(type);
    case 4:
      return of_type<Shape, Gt>(type);
    case 5:
      return of_type<Shape, Ge>(type);
    default:
      break;
  }
  if (!is_float(type)) d.refuse("its comparison is one of floats");
  switch (compare) {
    case 10:
      return of_type<Shape, Equ>(type);
    case 11:
      return of_type<Shape, Neu>(type);
    case 12:
      return of_type<Shape, Ltu>(type);
    case 13:
      return of_type<Shape, Leu>(type);
    case 14:
      return of_type<Shape, Gtu>(type);
    case 15:
      return of_type<Shape, Geu>(type);
    case 16:
      return of_type<Shape, Num>(type);
    case 17:
      return of_type<Shape, Nan>(type);
    default:
      d.refuse("no comparison that is known");
  }
}

void setp(Decoder& d) {
  static constexpr std::string_view kCombine[] = {"and", "or", "xor"};
  const int compare = d.take_one(kCompare);
  const int combine = d.take_one(kCombine);
  const Type type = d.take_type();
  if (d.take("ftz")) d.draft.code.flags = kFlush;
  d.draft.code.run = of_comparison<Setp>(d, compare, type);
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(combine < 0 ? 3 : 4, combine < 0 ? 3 : 4);
  const OperandSource& result = d.operand(0);
  const bool pair = result.kind == OperandSource::Kind::kPair;
  d.define(pair ? d.parts(result)[0] : result, Type::kPred);
  d.define(pair ? d.parts(result)[1] : OperandSource{}, Type::kPred);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
  if (combine >= 0) {
    const bool negated = d.use_predicate(d.operand(3));
    d.draft.code.sub = static_cast<std::uint8_t>((combine + 1) | (negated ? kNegated : 0));
  }
}

void set(Decoder& d) {
  const int compare = d.take_one(kCompare);
  if (d.take("ftz")) d.draft.code.flags = kFlush;
  const Type result = d.take_type();
  const Type type = d.take_type();
  if (bytes_of(result) != 4) d.refuse("its type is not covered");
  d.draft.code.value = result == Type::kF32 ? 0x3f800000 : 0xffffffff;
  d.draft.code.run = of_comparison<Set>(d, compare, type);
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(3, 3);
  d.define(d.operand(0), result);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
}

template <class, class T>
struct Selp {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    const Lanes p = predicate(w, i.row[3]) ^ (i.sub != 0 ? kAllLanes : 0);
    each(lanes, [&](unsigned l) { d[l] = (p >> l & 1) != 0 ? a[l] : b[l]; });
  }
};

Type bits_of_size(Type type) {
  return bytes_of(type) == 2   ? Type::kU16
         : bytes_of(type) == 4 ? Type::kU32
         : bytes_of(type) == 8 ? Type::kU64
                               : Type::kNone;
}

void selp(Decoder& d) {
  const Type type = d.take_type();
  d.draft.code.run = by_unsigned<Selp, void>(bits_of_size(type));
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(4, 4);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
  d.draft.code.sub = d.use_predicate(d.operand(3)) ? 1 : 0;
}

template <class, class T>
struct Slct {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    T* d = row<T>(w, i.row[0]);
    const T* a = row<T>(w, i.row[1]);
    const T* b = row<T>(w, i.row[2]);
    if (i.sub != 0) {
      const auto* c = row<float>(w, i.row[3]);
      each(lanes, [&](unsigned l) { d[l] = c[l] >= 0 ? a[l] : b[l]; });
    } else {
      const auto* c = row<std::int32_t>(w, i.row[3]);
      each(lanes, [&](unsigned l) { d[l] = c[l] >= 0 ? a[l] : b[l]; });
    }
  }
};

void slct(Decoder& d) {
  d.take("ftz");  // a subnormal number has its zero's sign, or is not less than it
  const Type type = d.take_type();
  const Type by = d.take_type();
  if (by != Type::kS32 && by != Type::kF32) d.refuse("it chooses by s32 or f32");
  d.draft.code.sub = by == Type::kF32 ? 1 : 0;
  d.draft.code.run = by_unsigned<Slct, void>(bits_of_size(type));
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(4, 4);
  d.define(d.operand(0), type);
  d.use(d.operand(1), type);
  d.use(d.operand(2), type);
  d.use(d.operand(3), by);
}

template <class, class T>
struct Testp {
  static bool of(T a, std::uint8_t what) {
    switch (what) {
      case 0:
        return std::isfinite(a);
      case 1:
        return std::isinf(a);
      case 2:
        return !std::isnan(a);
      case 3:
        return std::isnan(a);
      case 4:
        return std::isnormal(a);
      default:
        return std::fpclassify(a) == FP_SUBNORMAL;
    }
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const T* a = row<T>(w, i.row[1]);
    Lanes p = 0;
    each(lanes, [&](unsigned l) { p |= Lanes{of(a[l], i.sub)} << l; });
    set_predicate(w, i.row[0], lanes, p);
  }
};

void testp(Decoder& d) {
  static constexpr std::string_view kWhat[] = {"finite",     "infinite", "number",
                                               "notanumber", "normal",   "subnormal"};
  const int what = d.take_one(kWhat);
  if (what < 0) d.refuse("no property that is known");
  d.draft.code.sub = static_cast<std::uint8_t>(what);
  const Type type = d.take_type();
  d.draft.code.run = choose<Testp, void, float, double>(type);
  if (d.draft.code.run == nullptr) d.refuse("its type is not covered");
  d.expect_operands(2, 2);
  d.define(d.operand(0), Type::kPred);
  d.use(d.operand(1), type);
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"setp", setp}, {"set", set}, {"selp", selp}, {"slct", slct}, {"testp", testp}};

}  // namespace

OpcodeTable compare_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
