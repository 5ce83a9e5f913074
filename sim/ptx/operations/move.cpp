// mov in all its forms, cvta, isspacep, and the clocks.
#include <ctime>

#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/rows.h"
#include "sim/ptx/state/address.h"

namespace sim::ptx {
namespace {

struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};
struct Sum {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};

struct MovPredicate {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    set_predicate(w, i.row[0], lanes, predicate(w, i.row[1]));
  }
};

// mov.b64 d, {a, b}: `a` is the lowest part.
template <class Part, class All>
struct Pack {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    All* d = row<All>(w, i.row[0]);
    each(lanes, [&](unsigned l) {
      All value = 0;
      for (unsigned k = 0; k < sizeof(All) / sizeof(Part); ++k) {
        value |= static_cast<All>(static_cast<All>(row<Part>(w, i.row[1 + k])[l])
                                  << (8 * sizeof(Part) * k));
      }
      d[l] = value;
    });
  }
};
template <class Part, class All>
struct Unpack {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    constexpr unsigned kCount = sizeof(All) / sizeof(Part);
    each(lanes, [&](unsigned l) {
      const All value = row<All>(w, i.row[kCount])[l];
      for (unsigned k = 0; k < kCount; ++k) {
        row<Part>(w, i.row[k])[l] = static_cast<Part>(value >> (8 * sizeof(Part) * k));
      }
    });
  }
};

std::uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// One time for the whole warp. A group that reads a clock again and again counts as waiting.
template <class T, clockid_t kClock, unsigned kShift>
void read_clock(Warp& w, const Instruction& i, Lanes lanes) {
  const T now = static_cast<T>(nanoseconds(kClock) >> kShift);
  T* d = row<T>(w, i.row[0]);
  each(lanes, [&](unsigned l) { d[l] = now; });
  w.group->polled = true;
}

bool take_clock(Decoder& d, std::string_view name, Type type) {
  struct Known {
    std::string_view name;
    unsigned bytes;
    Handler run;
  };
  static constexpr Known kKnown[] = {
      {"%globaltimer", 8, read_clock<std::uint64_t, CLOCK_REALTIME, 0>},
      {"%globaltimer_lo", 4, read_clock<std::uint32_t, CLOCK_REALTIME, 0>},
      {"%globaltimer_hi", 4, read_clock<std::uint32_t, CLOCK_REALTIME, 32>},
      {"%clock64", 8, read_clock<std::uint64_t, CLOCK_MONOTONIC, 0>},
      {"%clock", 4, read_clock<std::uint32_t, CLOCK_MONOTONIC, 0>},
      {"%clock_hi", 4, read_clock<std::uint32_t, CLOCK_MONOTONIC, 32>}};
  for (const Known& known : kKnown) {
    if (known.name != name || known.bytes != bytes_of(type)) continue;
    d.draft.code.run = known.run;
    d.define(d.operand(0), type);
    return true;
  }
  return false;
}

// The address of a local: the frame's first address plus an offset.
void mov_local(Decoder& d, Type type, std::uint64_t offset) {
  if (bytes_of(type) != 8) d.refuse("an address has 64 bits");
  d.draft.code.run = Binary<Sum, std::uint64_t>::run;
  d.define(d.operand(0), type);
  d.next_row(row_at(Base::kSpecial, static_cast<std::uint32_t>(Special::kFrameLocal) * 256));
  d.use_bits(offset, Type::kB64);
}

void pack(Decoder& d, Type type) {
  const auto parts = d.parts(d.operand(1));
  const unsigned bytes = bytes_of(type);
  Type part = Type::kNone;
  if (parts.size() == 2 && bytes == 8) {
    part = Type::kB32;
    d.draft.code.run = Pack<std::uint32_t, std::uint64_t>::run;
  }
  if (parts.size() == 2 && bytes == 4) {
    part = Type::kB16;
    d.draft.code.run = Pack<std::uint16_t, std::uint32_t>::run;
  }
  if (parts.size() == 4 && bytes == 8) {
    part = Type::kB16;
    d.draft.code.run = Pack<std::uint16_t, std::uint64_t>::run;
  }
  if (part == Type::kNone) d.refuse("its vector does not fit");
  d.define(d.operand(0), type);
  for (const OperandSource& p : parts) d.use(p, part);
}

void unpack(Decoder& d, Type type) {
  const auto parts = d.parts(d.operand(0));
  const unsigned bytes = bytes_of(type);
  Type part = Type::kNone;
  if (parts.size() == 2 && bytes == 8) {
    part = Type::kB32;
    d.draft.code.run = Unpack<std::uint32_t, std::uint64_t>::run;
  }
  if (parts.size() == 2 && bytes == 4) {
    part = Type::kB16;
    d.draft.code.run = Unpack<std::uint16_t, std::uint32_t>::run;
  }
  if (parts.size() == 4 && bytes == 8) {
    part = Type::kB16;
    d.draft.code.run = Unpack<std::uint16_t, std::uint64_t>::run;
  }
  if (part == Type::kNone) d.refuse("its vector does not fit");
  for (const OperandSource& p : parts) d.define(p, part);
  d.use(d.operand(1), type);
}

void mov(Decoder& d) {
  using Kind = OperandSource::Kind;
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  if (d.operand(0).kind == Kind::kVector) return unpack(d, type);
  if (d.operand(1).kind == Kind::kVector) return pack(d, type);
  const OperandSource& from = d.operand(1);
  if (from.kind == Kind::kName && take_clock(d, from.name, type)) return;
  Special special{};
  Type reads{};
  if ((from.kind == Kind::kName && !from.name.starts_with('%') &&
       !special_named(from.name, special, reads)) ||
      from.kind == Kind::kVariable) {
    const Symbol symbol = d.symbol(from);
    if (symbol.kind == Symbol::Kind::kLocal) return mov_local(d, type, symbol.address);
  }
  switch (bytes_of(type)) {
    case 0:
      d.draft.code.run = MovPredicate::run;
      break;
    case 2:
      d.draft.code.run = Unary<Same, std::uint16_t>::run;
      break;
    case 4:
      d.draft.code.run = Unary<Same, std::uint32_t>::run;
      break;
    case 8:
      d.draft.code.run = Unary<Same, std::uint64_t>::run;
      break;
    default:
      d.refuse("its type is not covered");
  }
  d.define(d.operand(0), type);
  d.use(from, type);
}

// A generic address is the address plus the window's start. Global and constant memory have no
// window.
std::uint64_t window(Decoder& d, Space space) {
  switch (space) {
    case Space::kGlobal:
    case Space::kConst:
      return 0;
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kParam:
      return d.entry() ? kParamWindow : kLocalWindow;
    default:
      d.refuse("no space is named");
  }
}

void cvta(Decoder& d) {
  const bool back = d.take("to");
  const std::uint64_t first = window(d, d.take_space());
  const Type type = d.take_type();
  if (bytes_of(type) != 8) d.refuse("an address has 64 bits");
  d.expect_operands(2, 2);
  d.draft.code.run = Binary<Sum, std::uint64_t>::run;
  const OperandSource& from = d.operand(1);
  if (from.kind == OperandSource::Kind::kVariable && d.symbol(from).kind == Symbol::Kind::kLocal) {
    return mov_local(d, type, d.symbol(from).address + first);
  }
  d.define(d.operand(0), type);
  d.use(from, type);
  d.use_bits(back ? 0 - first : first, type);
}

struct Isspacep {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto* a = row<std::uint64_t>(w, i.row[1]);
    const auto first = static_cast<std::uint64_t>(i.value);
    Lanes p = 0;
    each(lanes, [&](unsigned l) {
      // Memory of the host lies in the lower half of the address space.
      const std::uint64_t in = a[l] >> 63 == 0 ? 0 : a[l] & kWindowMask;
      p |= Lanes{in == first} << l;
    });
    set_predicate(w, i.row[0], lanes, p);
  }
};

void isspacep(Decoder& d) {
  d.draft.code.run = Isspacep::run;
  d.draft.code.value = static_cast<std::int64_t>(window(d, d.take_space()));
  d.expect_operands(2, 2);
  d.define(d.operand(0), Type::kPred);
  d.use(d.operand(1), Type::kB64);
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"mov", mov}, {"cvta", cvta}, {"isspacep", isspacep}};

}  // namespace

OpcodeTable move_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
