// ld, st, fences, and the hints that cost nothing here.
#include "sim/ptx/operations/access.h"
#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {
namespace {

constexpr std::uint8_t kStrong = 1;  // flags: volatile, relaxed, acquire, release

// One access of all elements of a vector: 1 to 16 bytes.
template <unsigned kBytes>
struct Whole;
template <>
struct Whole<1> {
  using type = std::uint8_t;
};
template <>
struct Whole<2> {
  using type = std::uint16_t;
};
template <>
struct Whole<4> {
  using type = std::uint32_t;
};
template <>
struct Whole<8> {
  using type = std::uint64_t;
};
template <>
struct Whole<16> {
  using type = Quad;
};

inline std::uint64_t digest(std::uint64_t value) { return value; }
inline std::uint64_t digest(const Quad& value) {
  return value.low ^ (value.high << 1 | value.high >> 63);
}

// Registers of exactly the elements' size. Lanes in descending order: see access.h.
template <Space kSpace, class T, unsigned kCount>
struct Load {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    using All = typename Whole<sizeof(T) * kCount>::type;
    T* d[kCount];
    for (unsigned k = 0; k < kCount; ++k) d[k] = row<T>(w, i.row[k]);
    const bool strong = (i.flags & kStrong) != 0;
    std::uintptr_t origin = 0;
    if (lanes == kAllLanes && all_within<kSpace>(w, i, i.row[kCount], sizeof(All), false, origin)) {
      for (unsigned l = kLanes; l-- > 0;) {
        const std::uint64_t address = address_of(w, i, i.row[kCount], l);
        const All all = load<All>(at_address(origin + address));
        if (strong && (l == 0 || l == kLanes - 1)) saw(w, address, digest(all));
        T parts[kCount];
        std::memcpy(parts, &all, sizeof(all));
        for (unsigned k = 0; k < kCount; ++k) d[k][l] = parts[k];
      }
      return;
    }
    const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
    for (Lanes left = lanes; left != 0;) {
      const auto l = 31U - static_cast<unsigned>(std::countl_zero(left));
      left &= ~(1U << l);
      const std::uint64_t address = address_of(w, i, i.row[kCount], l);
      const std::byte* from = locate<kSpace>(w, i, l, address, sizeof(All), false);
      if (from == nullptr) return;
      const All all = load<All>(from);
      if (strong && (l == lowest || left == (lanes & ~(1U << l)))) saw(w, address, digest(all));
      T parts[kCount];
      std::memcpy(parts, &all, sizeof(all));
      for (unsigned k = 0; k < kCount; ++k) d[k][l] = parts[k];
    }
  }
};

// Small elements in larger registers: `sub` is the register's width, and T gives the sign.
template <Space kSpace, class T, unsigned kCount>
struct LoadExtended {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    using All = typename Whole<sizeof(T) * kCount>::type;
    for (Lanes left = lanes; left != 0;) {
      const auto l = 31U - static_cast<unsigned>(std::countl_zero(left));
      left &= ~(1U << l);
      const std::uint64_t address = address_of(w, i, i.row[kCount], l);
      const std::byte* from = locate<kSpace>(w, i, l, address, sizeof(All), false);
      if (from == nullptr) return;
      const All all = load<All>(from);
      if ((i.flags & kStrong) != 0) saw(w, address, digest(all));
      T parts[kCount];
      std::memcpy(parts, &all, sizeof(all));
      for (unsigned k = 0; k < kCount; ++k) {
        const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[k]));
        if (i.sub == 8)
          row<std::uint64_t>(w, i.row[k])[l] = value;
        else if (i.sub == 4)
          row<std::uint32_t>(w, i.row[k])[l] = static_cast<std::uint32_t>(value);
        else
          row<std::uint16_t>(w, i.row[k])[l] = static_cast<std::uint16_t>(value);
      }
    }
  }
};

// `sub`: the register's width; its low bytes are stored.
template <Space kSpace, class T, unsigned kCount>
struct Store {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    using All = typename Whole<sizeof(T) * kCount>::type;
    const std::byte* s[kCount];
    for (unsigned k = 0; k < kCount; ++k) s[k] = row<std::byte>(w, i.row[1 + k]);
    const std::size_t stride = i.sub;
    if constexpr (kSpace != Space::kLocal) w.group->acted = true;
    std::uintptr_t origin = 0;
    if (lanes == kAllLanes && all_within<kSpace>(w, i, i.row[0], sizeof(All), true, origin)) {
      for (unsigned l = 0; l < kLanes; ++l) {
        T parts[kCount];
        for (unsigned k = 0; k < kCount; ++k) std::memcpy(&parts[k], s[k] + l * stride, sizeof(T));
        All all;
        std::memcpy(&all, parts, sizeof(all));
        store<All>(at_address(origin + address_of(w, i, i.row[0], l)), all);
      }
      return;
    }
    for (Lanes left = lanes; left != 0; left &= left - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(left));
      std::byte* to = locate<kSpace>(w, i, l, address_of(w, i, i.row[0], l), sizeof(All), true);
      if (to == nullptr) return;
      T parts[kCount];
      for (unsigned k = 0; k < kCount; ++k) std::memcpy(&parts[k], s[k] + l * stride, sizeof(T));
      All all;
      std::memcpy(&all, parts, sizeof(all));
      store<All>(to, all);
    }
  }
};

template <template <Space, class, unsigned> class Shape, class T, unsigned kCount>
Handler in_space(Space space) {
  if constexpr (sizeof(T) * kCount > 16) {
    return nullptr;
  } else {
    switch (space) {
      case Space::kShared:
        return Shape<Space::kShared, T, kCount>::run;
      case Space::kLocal:
        return Shape<Space::kLocal, T, kCount>::run;
      case Space::kParam:
        return Shape<Space::kParam, T, kCount>::run;
      case Space::kGlobal:
      case Space::kConst:
        return Shape<Space::kGlobal, T, kCount>::run;
      default:
        return Shape<Space::kGeneric, T, kCount>::run;
    }
  }
}
template <template <Space, class, unsigned> class Shape, class T>
Handler of_count(Space space, std::size_t count) {
  switch (count) {
    case 1:
      return in_space<Shape, T, 1>(space);
    case 2:
      return in_space<Shape, T, 2>(space);
    case 4:
      return in_space<Shape, T, 4>(space);
    default:
      return nullptr;
  }
}
template <template <Space, class, unsigned> class Shape>
Handler of_unsigned(Type type, Space space, std::size_t count) {
  switch (bytes_of(type)) {
    case 1:
      return of_count<Shape, std::uint8_t>(space, count);
    case 2:
      return of_count<Shape, std::uint16_t>(space, count);
    case 4:
      return of_count<Shape, std::uint32_t>(space, count);
    case 8:
      return of_count<Shape, std::uint64_t>(space, count);
    default:
      return nullptr;
  }
}
Handler extended(Type type, Space space, std::size_t count) {
  switch (type) {
    case Type::kS8:
      return of_count<LoadExtended, std::int8_t>(space, count);
    case Type::kS16:
      return of_count<LoadExtended, std::int16_t>(space, count);
    case Type::kS32:
      return of_count<LoadExtended, std::int32_t>(space, count);
    default:
      return of_unsigned<LoadExtended>(type, space, count);
  }
}

// Scopes, caches and hints change nothing: each access is as strong as the widest scope requires.
bool take_order(Decoder& d, std::span<const std::string_view> strong) {
  static constexpr std::string_view kHints[] = {"weak",
                                                "cta",
                                                "cluster",
                                                "gpu",
                                                "sys",
                                                "ca",
                                                "cg",
                                                "cs",
                                                "lu",
                                                "wb",
                                                "wt",
                                                "nc",
                                                "unified",
                                                "L1::evict_normal",
                                                "L1::evict_unchanged",
                                                "L1::evict_first",
                                                "L1::evict_last",
                                                "L1::no_allocate",
                                                "L2::64B",
                                                "L2::128B",
                                                "L2::256B"};
  const bool is_strong = d.take_one(strong) >= 0;
  d.ignore(strong);
  d.ignore(kHints);
  return is_strong;
}

std::size_t take_count(Decoder& d) { return d.take("v2") ? 2 : d.take("v4") ? 4 : 1; }

std::span<const OperandSource> elements(Decoder& d, const OperandSource& operand,
                                        std::size_t count) {
  if (operand.kind != OperandSource::Kind::kVector) {
    if (count != 1) d.refuse("its vector is missing");
    return {&operand, 1};
  }
  if (d.parts(operand).size() != count) d.refuse("its vector has another size");
  return d.parts(operand);
}

void ld(Decoder& d) {
  static constexpr std::string_view kStrongLoads[] = {"volatile", "relaxed", "acquire", "mmio",
                                                      "cv"};
  const bool strong = take_order(d, kStrongLoads);
  Space space = d.take_space();
  const std::size_t count = take_count(d);
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  unsigned wide = 0;
  for (const OperandSource& to : elements(d, d.operand(0), count)) {
    const unsigned bytes = bytes_of(d.type_of(to));
    if (bytes != 0) wide = std::max(wide, bytes);
    d.define_wide(to, bytes_of(type));
  }
  if (wide == 0) wide = std::max(bytes_of(type), 2U);
  for (const OperandSource& to : elements(d, d.operand(0), count)) {
    const unsigned bytes = bytes_of(d.type_of(to));
    if (bytes != 0 && bytes != wide) d.refuse("its results differ in size");
  }
  d.use_address(d.operand(1), space);
  d.draft.code.flags |= strong ? kStrong : 0;
  d.draft.code.sub = static_cast<std::uint8_t>(wide);
  d.draft.code.run =
      wide == bytes_of(type) ? of_unsigned<Load>(type, space, count) : extended(type, space, count);
  if (d.draft.code.run == nullptr) d.refuse("its type and size are not covered");
}

void st(Decoder& d) {
  static constexpr std::string_view kStrongStores[] = {"volatile", "relaxed", "release", "mmio"};
  take_order(d, kStrongStores);
  Space space = d.take_space();
  if (space == Space::kConst) d.refuse("constants are not stored to");
  const std::size_t count = take_count(d);
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  d.use_address(d.operand(0), space);
  unsigned wide = 0;
  const auto from = elements(d, d.operand(1), count);
  for (const OperandSource& value : from)
    wide = std::max(std::max(wide, bytes_of(d.type_of(value))), std::max(bytes_of(type), 2U));
  static constexpr Type kOfSize[] = {Type::kB16, Type::kB16, Type::kB16, Type::kB32, Type::kB32,
                                     Type::kB32, Type::kB32, Type::kB64, Type::kB64};
  for (const OperandSource& value : from) {
    // A literal takes the registers' width. A float literal keeps its type.
    d.use(value, d.type_of(value) == Type::kNone && wide == bytes_of(type) ? type : kOfSize[wide]);
  }
  d.draft.code.sub = static_cast<std::uint8_t>(wide);
  d.draft.code.run = of_unsigned<Store>(type, space, count);
  if (d.draft.code.run == nullptr) d.refuse("its type and size are not covered");
}

struct FullFence {
  static void run(Warp&, const Instruction&, Lanes) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
};
struct Fence {
  static void run(Warp&, const Instruction&, Lanes) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
};

constexpr std::string_view kScopes[] = {"cta", "cluster", "gpu", "gl", "sys"};

void membar(Decoder& d) {
  if (d.take_one(kScopes) < 0) d.refuse("no scope that is known");
  d.expect_operands(0, 0);
  d.draft.code.run = FullFence::run;
}

void fence(Decoder& d) {
  static constexpr std::string_view kOrders[] = {"acq_rel", "acquire", "release"};
  d.expect_operands(0, 0);
  if (d.take_one(kOrders) >= 0)
    d.draft.code.run = Fence::run;
  else
    d.draft.code.run = d.take("sc") ? FullFence::run : nullptr;
  if (d.draft.code.run == nullptr) d.refuse("no order that is known");
  if (d.take_one(kScopes) < 0) d.refuse("no scope that is known");
}

struct Nothing {
  static void run(Warp&, const Instruction&, Lanes) {}
};

void prefetch(Decoder& d) {
  static constexpr std::string_view kLevels[] = {"L1", "L2", "global", "local", "const", "generic"};
  d.ignore(kLevels);
  Space space = Space::kGeneric;
  d.expect_operands(1, 1);
  d.use_address(d.operand(0), space);
  d.draft.code.run = Nothing::run;
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {{"ld", ld},
                                                            {"ldu", ld},
                                                            {"st", st},
                                                            {"membar", membar},
                                                            {"fence", fence},
                                                            {"prefetch", prefetch},
                                                            {"prefetchu", prefetch}};

}  // namespace

OpcodeTable memory_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
