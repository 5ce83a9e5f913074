// Floating point, against the host under its own rounding modes, and conversions against the
// nearest of all representable values.
#include <cfenv>
#include <cmath>

#include "tests/sim/ptx/opcode_cases.h"

namespace sim::ptx {
namespace {

using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u16 = std::uint16_t;

float f(u64 v) { return std::bit_cast<float>(static_cast<u32>(v)); }
double g(u64 v) { return std::bit_cast<double>(v); }
u64 of(float v) { return std::isnan(v) ? 0x7fffffffU : std::bit_cast<u32>(v); }
u64 of(double v) { return std::bit_cast<u64>(v); }

template <class F>
auto rounded(int mode, F operation) {
  std::fesetround(mode);
  volatile auto value = operation();
  std::fesetround(FE_TONEAREST);
  return static_cast<decltype(operation())>(value);
}

const std::vector<u64> kSingles{
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 1,          0x80000001, 0x007fffff,
    0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4b800000, 0x33800000,
    0x477fe000, 0x477ff000, 0x38800000, 0x387fc000, 0x43e00000, 0xc3f00000};
const std::vector<u64> kDoubles{0,
                                1ULL << 63,
                                0x3ff0000000000000,
                                0xbff0000000000000,
                                0x3ff0000000000001,
                                1,
                                0x0010000000000000,
                                0x7fefffffffffffff,
                                0x7ff0000000000000,
                                0xfff0000000000000,
                                0x41e0000000000000,
                                0xc1e0000000000000,
                                0x43e0000000000000,
                                0x47efffffe0000000,
                                0x47effffff0000000,
                                0x3690000000000000,
                                0x36a8000000000000};

// Volatile operands, so that the compiler neither moves nor changes an operation.
u64 two(int mode, char op, u64 a, u64 b) {
  volatile float x = f(a), y = f(b);
  return of(rounded(mode, [&] {
    return op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
  }));
}
u64 two64(int mode, char op, u64 a, u64 b) {
  volatile double x = g(a), y = g(b);
  return of(rounded(mode, [&] {
    return op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
  }));
}
float extreme(float a, float b, bool less) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) == less ? a : b;
  return (a < b) == less ? a : b;
}

TEST(PtxFloat, SingleInEveryRounding) {
  std::vector<Case> cases;
  const std::pair<const char*, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    const std::string m = name;
    for (const auto& [op, sign] : {std::pair{"add", '+'}, std::pair{"sub", '-'},
                                   std::pair{"mul", '*'}, std::pair{"div", '/'}}) {
      cases.push_back(
          {std::string(op) + "." + m + ".f32 %f9, %f6, %f7;", 'f',
           [mode = mode, sign = sign](u64 a, u64 b, u64) { return two(mode, sign, a, b); }});
    }
    cases.push_back(
        {"fma." + m + ".f32 %f9, %f6, %f7, %f8;", 'f', [mode = mode](u64 a, u64 b, u64 c) {
           return of(rounded(mode, [&] { return std::fma(f(a), f(b), f(c)); }));
         }});
    cases.push_back({"sqrt." + m + ".f32 %f9, %f6;", 'f', [mode = mode](u64 a, u64, u64) {
                       volatile float x = f(a);
                       return of(rounded(mode, [&] { return std::sqrt(x); }));
                     }});
    cases.push_back({"rcp." + m + ".f32 %f9, %f6;", 'f', [mode = mode](u64 a, u64, u64) {
                       volatile float x = f(a);
                       return of(rounded(mode, [&] { return 1.0F / x; }));
                     }});
  }
  cases.push_back({"min.f32 %f9, %f6, %f7;", 'f',
                   [](u64 a, u64 b, u64) { return of(extreme(f(a), f(b), true)); }});
  cases.push_back({"max.f32 %f9, %f6, %f7;", 'f',
                   [](u64 a, u64 b, u64) { return of(extreme(f(a), f(b), false)); }});
  cases.push_back({"max.NaN.f32 %f9, %f6, %f7;", 'f', [](u64 a, u64 b, u64) {
                     return std::isnan(f(a)) || std::isnan(f(b)) ? 0x7fffffffU
                                                                 : of(extreme(f(a), f(b), false));
                   }});
  cases.push_back({"neg.f32 %f9, %f6;", 'f',
                   [](u64 a, u64, u64) { return static_cast<u32>(a) ^ 0x80000000U; }});
  cases.push_back({"abs.f32 %f9, %f6;", 'f',
                   [](u64 a, u64, u64) { return static_cast<u32>(a) & 0x7fffffffU; }});
  cases.push_back({"copysign.f32 %f9, %f6, %f7;", 'f',
                   [](u64 a, u64 b, u64) { return (b & 0x7fffffffU) | (a & 0x80000000U); }});
  cases.push_back({"add.sat.f32 %f9, %f6, %f7;", 'f', [](u64 a, u64 b, u64) {
                     const float v = f(a) + f(b);
                     return of(std::isnan(v) || v <= 0 ? 0.0F : std::min(v, 1.0F));
                   }});
  cases.push_back({"mul.ftz.f32 %f9, %f6, %f7;", 'f', [](u64 a, u64 b, u64) {
                     const auto flush = [](float v) {
                       return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v;
                     };
                     return of(flush(flush(f(a)) * flush(f(b))));
                   }});
  check_all(cases, inputs_of(kSingles, 4));
}

TEST(PtxFloat, DoubleInEveryRounding) {
  std::vector<Case> cases;
  const std::pair<const char*, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    const std::string m = name;
    for (const auto& [op, sign] : {std::pair{"add", '+'}, std::pair{"sub", '-'},
                                   std::pair{"mul", '*'}, std::pair{"div", '/'}}) {
      cases.push_back(
          {std::string(op) + "." + m + ".f64 %fd9, %fd6, %fd7;", 'g',
           [mode = mode, sign = sign](u64 a, u64 b, u64) { return two64(mode, sign, a, b); }});
    }
    cases.push_back(
        {"fma." + m + ".f64 %fd9, %fd6, %fd7, %fd8;", 'g', [mode = mode](u64 a, u64 b, u64 c) {
           return of(rounded(mode, [&] { return std::fma(g(a), g(b), g(c)); }));
         }});
  }
  check_all(cases, inputs_of(kDoubles, 5));
}

// The exact value of a small format's bits, by its definition.
double small(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
  const double value =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
  return (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -value : value;
}
double half(u64 bits) {
  const auto b = static_cast<u16>(bits);
  if ((b & 0x7fff) > 0x7c00) return std::nan("");
  if ((b & 0x7fff) == 0x7c00) return (b & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
  return small(b, 5, 10);
}
double brain(u64 bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits & 0xffff) << 16));
}
// The nearest of all finite values by search, ties to the even one; `largest` is the last finite
// pattern.
u64 nearest(double v, int exponent_bits, int mantissa_bits, unsigned largest, u64 too_large,
            u64 nan) {
  if (std::isnan(v)) return nan;
  const u64 sign = std::signbit(v) ? 1ULL << (exponent_bits + mantissa_bits) : 0;
  const double a = std::fabs(v);
  unsigned low = 0, high = largest;
  while (low < high) {  // the last pattern whose value is not above a
    const unsigned middle = (low + high + 1) / 2;
    if (small(middle, exponent_bits, mantissa_bits) <= a)
      low = middle;
    else
      high = middle - 1;
  }
  const double below = small(low, exponent_bits, mantissa_bits);
  const double above =
      small(low + 1, exponent_bits, mantissa_bits);  // of the last one: what would come next
  const bool up = a - below > above - a || (a - below == above - a && low % 2 != 0);
  const unsigned result = up ? low + 1 : low;
  return sign | (result > largest || std::isinf(a) ? too_large : result);
}
u64 to_half(double v) { return nearest(v, 5, 10, 0x7bff, 0x7c00, 0x7fff); }
u64 to_brain(double v) { return nearest(v, 8, 7, 0x7f7f, 0x7f80, 0x7fff); }

TEST(PtxFloat, HalvesAreRoundedOnce) {
  const auto pair = [](u64 low, u64 high) { return low | high << 16; };
  const std::vector<u64> values{0,          0x8000, 0x3c00, 0xbc00, 1,          0x8001,
                                0x03ff,     0x0400, 0x7bff, 0x7c00, 0xfc00,     0x7e00,
                                0x3c01,     0x3555, 0x4248, 0x1400, 0x3c003c01, 0x7bff0001,
                                0x80017bff, 0x3f80, 0x3f81, 0x7f7f};
  check_all(
      {
          {"add.f16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return to_half(half(a) + half(b)); }},
          {"sub.f16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return to_half(half(a) - half(b)); }},
          {"mul.f16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return to_half(half(a) * half(b)); }},
          {"add.bf16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) {
             const double s = brain(a) + brain(b);
             return std::fabs(brain(a)) > 1e30 || std::fabs(brain(b)) > 1e30 || std::isnan(s)
                        ? to_brain(static_cast<double>(static_cast<float>(brain(a)) +
                                                       static_cast<float>(brain(b))))
                        : to_brain(static_cast<double>(static_cast<float>(s)));
           }},
          {"mul.bf16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return to_brain(brain(a) * brain(b)); }},
          // a * b + b is b * (a + 1), which is exact in double. A sum that cancels is +0.
          {"fma.rn.f16 %h9, %h6, %h7, %h7;", 'h',
           [](u64 a, u64 b, u64) {
             return to_half(half(a) == -1 && std::isfinite(half(b)) ? 0.0
                            : half(b) == 0                          ? half(a) * half(b) + half(b)
                            : std::isfinite(half(a)) && std::isfinite(half(b))
                                ? half(b) * (half(a) + 1.0)
                                : half(a) * half(b) + half(b));
           }},
          {"add.f16x2 %r9, %r6, %r7;", 'r',
           [&](u64 a, u64 b, u64) {
             return pair(to_half(half(a) + half(b)), to_half(half(a >> 16) + half(b >> 16)));
           }},
          {"mul.bf16x2 %r9, %r6, %r7;", 'r',
           [&](u64 a, u64 b, u64) {
             return pair(to_brain(brain(a) * brain(b)), to_brain(brain(a >> 16) * brain(b >> 16)));
           }},
          {"neg.f16 %h9, %h6;", 'h', [](u64 a, u64, u64) { return static_cast<u16>(a ^ 0x8000); }},
          {"cvt.f32.f16 %f9, %h6;", 'f',
           [](u64 a, u64, u64) { return of(static_cast<float>(half(a))); }},
          {"cvt.f32.bf16 %f9, %h6;", 'f',
           [](u64 a, u64, u64) { return of(static_cast<float>(brain(a))); }},
      },
      inputs_of(values, 6));
}

u64 clamp_to(double v, double low, double high, u64 least, u64 most) {
  if (std::isnan(v)) return 0;
  if (v <= low) return least;
  if (v >= high) return most;
  return v < 0 ? 0 - static_cast<u64>(-v) : static_cast<u64>(v);
}

TEST(PtxFloat, Conversions) {
  const auto single = [](u64 a) { return static_cast<double>(f(a)); };
  const double two31 = 0x1p31, two63 = 0x1p63;
  const auto e4m3 = [](double v) { return nearest(v, 4, 3, 0x7e, 0x7e, 0x7f); };
  const auto e5m2 = [](double v) { return nearest(v, 5, 2, 0x7b, 0x7b, 0x7f); };
  check_all(
      {
          {"cvt.rn.f16.f32 %h9, %f6;", 'h', [&](u64 a, u64, u64) { return to_half(single(a)); }},
          {"cvt.rn.bf16.f32 %h9, %f6;", 'h', [&](u64 a, u64, u64) { return to_brain(single(a)); }},
          {"cvt.rn.f16x2.f32 %r9, %f6, %f7;", 'r',
           [&](u64 a, u64 b, u64) { return to_half(single(a)) << 16 | to_half(single(b)); }},
          {"cvt.rn.satfinite.e4m3x2.f32 %h9, %f6, %f7;", 'h',
           [&](u64 a, u64 b, u64) { return e4m3(single(a)) << 8 | e4m3(single(b)); }},
          {"cvt.rn.satfinite.e5m2x2.f32 %h9, %f6, %f7;", 'h',
           [&](u64 a, u64 b, u64) { return e5m2(single(a)) << 8 | e5m2(single(b)); }},
          {"cvt.rn.satfinite.e4m3x2.f16x2 %h9, %r6;", 'h',
           [&](u64 a, u64, u64) { return e4m3(half(a >> 16)) << 8 | e4m3(half(a)); }},
          {"cvt.rn.f16x2.e4m3x2 %r9, %h6;", 'r',
           [](u64 a, u64, u64) {
             const auto one = [](u64 b) {
               return (b & 0x7f) == 0x7f ? 0x7fffU
                                         : to_half(small(static_cast<unsigned>(b & 0xff), 4, 3));
             };
             return one(a >> 8) << 16 | one(a);
           }},
          {"cvt.rn.f16x2.e5m2x2 %r9, %h6;", 'r',
           [](u64 a, u64, u64) {
             const auto one = [](u64 b) { return (b & 0x7f) > 0x7c ? 0x7fffU : (b & 0xff) << 8; };
             return one(a >> 8) << 16 | one(a);
           }},
          {"cvt.rzi.s32.f32 %r9, %f6;", 'r',
           [&](u64 a, u64, u64) {
             return static_cast<u32>(
                 clamp_to(std::trunc(single(a)), -two31, two31, 0x80000000, 0x7fffffff));
           }},
          {"cvt.rni.s32.f32 %r9, %f6;", 'r',
           [&](u64 a, u64, u64) {
             return static_cast<u32>(
                 clamp_to(std::nearbyint(single(a)), -two31, two31, 0x80000000, 0x7fffffff));
           }},
          {"cvt.rmi.s64.f32 %rd9, %f6;", 'd',
           [&](u64 a, u64, u64) {
             return clamp_to(std::floor(single(a)), -two63, two63, 1ULL << 63, ~0ULL >> 1);
           }},
          {"cvt.rpi.u32.f32 %r9, %f6;", 'r',
           [&](u64 a, u64, u64) {
             return clamp_to(std::ceil(single(a)), 0, 0x1p32, 0, 0xffffffff);
           }},
          {"cvt.rzi.u64.f32 %rd9, %f6;", 'd',
           [&](u64 a, u64, u64) { return clamp_to(std::trunc(single(a)), 0, 0x1p64, 0, ~0ULL); }},
          {"cvt.rmi.f32.f32 %f9, %f6;", 'f', [&](u64 a, u64, u64) { return of(std::floor(f(a))); }},
          {"cvt.sat.f32.f32 %f9, %f6;", 'f',
           [&](u64 a, u64, u64) {
             return of(std::isnan(f(a)) || f(a) <= 0 ? 0.0F : std::min(f(a), 1.0F));
           }},
          {"cvt.f64.f32 %fd9, %f6; @!%p9 mov.f64 %fd9, %fd9;", 'g',
           [&](u64 a, u64, u64) {
             return std::isnan(f(a)) ? of(static_cast<double>(f(a))) : of(single(a));
           }},
      },
      inputs_of(kSingles, 7));
  const auto from_double = [](int mode, u64 a) {
    volatile double x = g(a);
    return of(rounded(mode, [&] { return static_cast<float>(x); }));
  };
  check_all(
      {
          {"cvt.rn.f32.f64 %f9, %fd6;", 'f',
           [&](u64 a, u64, u64) { return from_double(FE_TONEAREST, a); }},
          {"cvt.rz.f32.f64 %f9, %fd6;", 'f',
           [&](u64 a, u64, u64) { return from_double(FE_TOWARDZERO, a); }},
          {"cvt.rm.f32.f64 %f9, %fd6;", 'f',
           [&](u64 a, u64, u64) { return from_double(FE_DOWNWARD, a); }},
          {"cvt.rp.f32.f64 %f9, %fd6;", 'f',
           [&](u64 a, u64, u64) { return from_double(FE_UPWARD, a); }},
          {"cvt.rzi.s64.f64 %rd9, %fd6;", 'd',
           [&](u64 a, u64, u64) {
             return clamp_to(std::trunc(g(a)), -two63, two63, 1ULL << 63, ~0ULL >> 1);
           }},
          {"cvt.rn.f16.f64 %h9, %fd6;", 'h', [&](u64 a, u64, u64) { return to_half(g(a)); }},
      },
      inputs_of(kDoubles, 8));
  const auto signed_of = [](u64 a) { return static_cast<std::int64_t>(a); };
  const auto exact = [](int mode, long double v) {
    volatile long double x = v;
    return of(rounded(mode, [&] { return static_cast<float>(x); }));
  };
  check_all(
      {
          {"cvt.rn.f32.s64 %f9, %rd6;", 'f',
           [&](u64 a, u64, u64) {
             return exact(FE_TONEAREST, static_cast<long double>(signed_of(a)));
           }},
          {"cvt.rz.f32.u64 %f9, %rd6;", 'f',
           [&](u64 a, u64, u64) { return exact(FE_TOWARDZERO, static_cast<long double>(a)); }},
          {"cvt.rp.f32.s32 %f9, %r6;", 'f',
           [&](u64 a, u64, u64) {
             return exact(FE_UPWARD, static_cast<long double>(static_cast<std::int32_t>(a)));
           }},
          {"cvt.rn.f64.u64 %fd9, %rd6;", 'g',
           [&](u64 a, u64, u64) {
             volatile long double x = static_cast<long double>(a);
             return of(static_cast<double>(x));
           }},
          {"cvt.rn.f16.u16 %h9, %h6;", 'h',
           [&](u64 a, u64, u64) { return to_half(static_cast<u16>(a)); }},
          {"cvt.s32.s8 %r9, %r6;", 'r',
           [](u64 a, u64, u64) { return static_cast<u32>(static_cast<std::int8_t>(a)); }},
          {"cvt.u64.s16 %rd9, %h6;", 'd',
           [](u64 a, u64, u64) {
             return static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int16_t>(a)));
           }},
          {"cvt.sat.u8.s32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) {
             return static_cast<u64>(std::clamp(static_cast<std::int32_t>(a), 0, 255));
           }},
          {"cvt.sat.s16.s64 %h9, %rd6;", 'h',
           [&](u64 a, u64, u64) {
             return static_cast<u16>(std::clamp<std::int64_t>(signed_of(a), -32768, 32767));
           }},
      },
      random_inputs(9));
}

}  // namespace
}  // namespace sim::ptx
