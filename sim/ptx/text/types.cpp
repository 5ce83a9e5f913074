// The names of PTX's types and state spaces.
#include "sim/ptx/text/types.h"

#include <utility>

namespace sim::ptx {

Type type_named(std::string_view name) {
  using enum Type;
  static constexpr std::pair<std::string_view, Type> kNames[] = {
      {"pred", kPred},    {"b8", kB8},   {"u8", kU8},   {"s8", kS8},       {"b16", kB16},
      {"u16", kU16},      {"s16", kS16}, {"f16", kF16}, {"bf16", kBf16},   {"b32", kB32},
      {"u32", kU32},      {"s32", kS32}, {"f32", kF32}, {"f16x2", kF16x2}, {"bf16x2", kBf16x2},
      {"b64", kB64},      {"u64", kU64}, {"s64", kS64}, {"f64", kF64},     {"e4m3x2", kE4m3x2},
      {"e5m2x2", kE5m2x2}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return kNone;
}

}  // namespace sim::ptx
