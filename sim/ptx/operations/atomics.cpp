// atom, red, and multimem. No memory here can serve multimem.
#include "sim/ptx/operations/access.h"
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/float_lift.h"

namespace sim::ptx {
namespace {

struct Add {
  template <class T>
  static T of(T a, T b, T) {
    return static_cast<T>(a + b);
  }
};
struct And {
  template <class T>
  static T of(T a, T b, T) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b, T) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b, T) {
    return static_cast<T>(a ^ b);
  }
};
struct Exch {
  template <class T>
  static T of(T, T b, T) {
    return b;
  }
};
struct Cas {
  template <class T>
  static T of(T a, T b, T c) {
    return a == b ? c : a;
  }
};
struct Min {
  template <class T>
  static T of(T a, T b, T) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b, T) {
    return a < b ? b : a;
  }
};
struct Inc {
  template <class T>
  static T of(T a, T b, T) {
    return a >= b ? T{0} : static_cast<T>(a + 1);
  }
};
struct Dec {
  template <class T>
  static T of(T a, T b, T) {
    return a == 0 || a > b ? b : static_cast<T>(a - 1);
  }
};
struct Sum {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct AddFloat {
  template <class T>
  static T of(T a, T b, T) {
    return lift<Sum>(a, b);
  }
};

template <unsigned kBytes>
struct Bits;
template <>
struct Bits<2> {
  using type = std::uint16_t;
};
template <>
struct Bits<4> {
  using type = std::uint32_t;
};
template <>
struct Bits<8> {
  using type = std::uint64_t;
};

// Rows: result, address, b, c. `count`: which space.
template <class Op, class T>
struct Atom {
  static std::byte* find(Warp& w, const Instruction& i, unsigned l, std::uint64_t address) {
    switch (static_cast<Space>(i.count)) {
      case Space::kShared:
        return locate<Space::kShared>(w, i, l, address, sizeof(T), true);
      case Space::kGlobal:
        return locate<Space::kGlobal>(w, i, l, address, sizeof(T), true);
      default:
        return locate<Space::kGeneric>(w, i, l, address, sizeof(T), true);
    }
  }
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    using B = typename Bits<sizeof(T)>::type;
    const T* b = row<T>(w, i.row[2]);
    const T* c = row<T>(w, i.row[3]);
    for (Lanes left = lanes; left != 0; left &= left - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t address = address_of(w, i, i.row[1], l);
      B* at = reinterpret_cast<B*>(find(w, i, l, address));
      if (at == nullptr) return;
      B old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
      B next{};
      do {
        next = std::bit_cast<B>(Op::of(std::bit_cast<T>(old), b[l], c[l]));
      } while (
          !__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
      row<B>(w, i.row[0])[l] = old;
      if (next != old)
        w.group->acted = true;
      else
        saw(w, address, static_cast<std::uint64_t>(old));
    }
  }
};

template <class Op>
Handler any_bits(Type type) {
  return choose<Atom, Op, std::uint16_t, std::uint32_t, std::uint64_t>(type);
}
template <class Op>
Handler integers(Type type) {
  return choose<Atom, Op, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>(type);
}

Handler handler_of(std::string_view op, Type type) {
  const bool bits = is_bits(type);
  if (op == "exch") return bits ? any_bits<Exch>(type) : nullptr;
  if (op == "cas") return bits ? any_bits<Cas>(type) : nullptr;
  if (op == "and") return bits ? any_bits<And>(type) : nullptr;
  if (op == "or") return bits ? any_bits<Or>(type) : nullptr;
  if (op == "xor") return bits ? any_bits<Xor>(type) : nullptr;
  if (bits) return nullptr;
  if (op == "inc") return choose<Atom, Inc, std::uint32_t>(type);
  if (op == "dec") return choose<Atom, Dec, std::uint32_t>(type);
  if (op == "min") return integers<Min>(type);
  if (op == "max") return integers<Max>(type);
  if (op != "add") return nullptr;
  if (is_integer(type)) {  // of unsigned numbers, which wrap
    return bytes_of(type) == 4   ? Atom<Add, std::uint32_t>::run
           : bytes_of(type) == 8 ? Atom<Add, std::uint64_t>::run
                                 : nullptr;
  }
  return choose<Atom, AddFloat, float, double, Half, Bfloat, HalfPair, BfloatPair>(type);
}

void atomic(Decoder& d, bool returns) {
  static constexpr std::string_view kOrders[] = {
      "relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys", "noftz"};
  static constexpr std::string_view kOps[] = {"and", "or",  "xor", "cas", "exch",
                                              "add", "inc", "dec", "min", "max"};
  d.ignore(kOrders);
  Space space = d.take_space();
  const int op = d.take_one(kOps);
  if (op < 0) d.refuse("no operation that is known");
  const Type type = d.take_type();
  d.draft.code.run = handler_of(kOps[op], type);
  if (d.draft.code.run == nullptr) d.refuse("its operation is not covered for its type");
  const std::size_t first = returns ? 1 : 0;
  const std::size_t values = kOps[op] == "cas" ? 2 : 1;
  d.expect_operands(first + 1 + values, first + 1 + values);
  d.define(returns ? d.operand(0) : OperandSource{}, type);
  d.use_address(d.operand(first), space);
  if (space != Space::kShared && space != Space::kGlobal && space != Space::kGeneric)
    d.refuse("its space has no atomics");
  d.draft.code.count = static_cast<std::uint8_t>(space);
  d.use(d.operand(first + 1), type);
  if (values == 2)
    d.use(d.operand(first + 2), type);
  else
    d.use_bits(0, type);
}
void atom(Decoder& d) { atomic(d, true); }
void red(Decoder& d) { atomic(d, false); }

// No address here belongs to a multicast object, so each use is an illegal address, as on a device
// without NVLink SHARP.
struct Multimem {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto l = static_cast<unsigned>(std::countr_zero(lanes));
    fail(w, i, FaultKind::kIllegalAddress, l, address_of(w, i, i.row[0], l),
         "the address is not that of a multicast object");
  }
};
void multimem(Decoder& d) {
  static constexpr std::string_view kForms[] = {"ld_reduce", "st", "red"};
  static constexpr std::string_view kIgnored[] = {
      "relaxed", "acquire", "release", "weak",   "acc::f32", "acc::f16", "cta",
      "cluster", "gpu",     "sys",     "global", "add",      "min",      "max",
      "and",     "or",      "xor",     "v2",     "v4",       "v8"};
  const int form = d.take_one(kForms);
  if (form < 0) d.refuse("no form that is known");
  d.ignore(kIgnored);
  d.take_type();
  d.expect_operands(2, 2);
  Space space = Space::kGlobal;
  d.use_address(d.operand(form == 0 ? 1 : 0), space);
  d.draft.code.run = Multimem::run;
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"atom", atom}, {"red", red}, {"multimem", multimem}};

}  // namespace

OpcodeTable atomic_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
