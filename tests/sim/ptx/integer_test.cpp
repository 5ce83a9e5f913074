// Integer arithmetic and bits, against exact integers.
#include "tests/sim/ptx/opcode_cases.h"

namespace sim::ptx {
namespace {

using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u16 = std::uint16_t;
using s64 = std::int64_t;
using s32 = std::int32_t;
using s16 = std::int16_t;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

u64 low32(s128 v) { return static_cast<u32>(static_cast<u128>(v)); }
u64 low16(s128 v) { return static_cast<u16>(static_cast<u128>(v)); }
u64 pair_of(u64 low, u64 high) { return high << 16 | low; }
u64 low64(s128 v) { return static_cast<u64>(static_cast<u128>(v)); }
s128 i32(u64 v) { return static_cast<s32>(static_cast<u32>(v)); }
s128 i16(u64 v) { return static_cast<s16>(static_cast<u16>(v)); }
s128 i64(u64 v) { return static_cast<s64>(v); }
s128 n32(u64 v) { return static_cast<u32>(v); }
s128 n16(u64 v) { return static_cast<u16>(v); }
s128 n64(u64 v) { return static_cast<s128>(v); }

const std::vector<u64> kEdges{0,
                              1,
                              2,
                              3,
                              31,
                              32,
                              33,
                              63,
                              64,
                              65,
                              127,
                              255,
                              0x7fff,
                              0x8000,
                              0xffff,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              ~0ULL,
                              0x1234567890abcdef};

TEST(PtxInteger, AddSubtractMultiply) {
  check_all(
      {
          {"add.s32 %r9, %r6, %r7;", 'r', [](u64 a, u64 b, u64) { return low32(i32(a) + i32(b)); }},
          {"add.u64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return low64(n64(a) + n64(b)); }},
          {"add.s16 %h9, %h6, %h7;", 'h', [](u64 a, u64 b, u64) { return low16(i16(a) + i16(b)); }},
          {"add.sat.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             const s128 v = i32(a) + i32(b);
             return low32(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
           }},
          {"sub.s32 %r9, %r6, %r7;", 'r', [](u64 a, u64 b, u64) { return low32(i32(a) - i32(b)); }},
          {"sub.s64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return low64(i64(a) - i64(b)); }},
          {"sub.sat.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             const s128 v = i32(a) - i32(b);
             return low32(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
           }},
          {"mul.lo.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return low32(i32(a) * i32(b)); }},
          {"mul.lo.s16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return low16(i16(a) * i16(b)); }},
          {"mul.lo.u64 %rd9, %rd6, %rd7;", 'd', [](u64 a, u64 b, u64) { return a * b; }},
          {"mul.hi.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return low32((i32(a) * i32(b)) >> 32); }},
          {"mul.hi.u32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return low32((n32(a) * n32(b)) >> 32); }},
          {"mul.hi.u16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return low16((n16(a) * n16(b)) >> 16); }},
          {"mul.hi.u64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return static_cast<u64>((static_cast<u128>(a) * b) >> 64); }},
          {"mul.hi.s64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return low64((i64(a) * i64(b)) >> 64); }},
          {"mul.wide.s32 %rd9, %r6, %r7;", 'd',
           [](u64 a, u64 b, u64) { return low64(i32(a) * i32(b)); }},
          {"mul.wide.u32 %rd9, %r6, %r7;", 'd',
           [](u64 a, u64 b, u64) { return low64(n32(a) * n32(b)); }},
          {"mul.wide.u16 %r9, %h6, %h7;", 'r',
           [](u64 a, u64 b, u64) { return low32(n16(a) * n16(b)); }},
          {"mul.wide.s16 %r9, %h6, %h7;", 'r',
           [](u64 a, u64 b, u64) { return low32(i16(a) * i16(b)); }},
          {"mad.lo.s32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) { return low32(i32(a) * i32(b) + i32(c)); }},
          {"mad.lo.u64 %rd9, %rd6, %rd7, %rd8;", 'd',
           [](u64 a, u64 b, u64 c) { return a * b + c; }},
          {"mad.hi.u32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) { return low32(((n32(a) * n32(b)) >> 32) + n32(c)); }},
          {"mad.wide.s32 %rd9, %r6, %r7, %rd8;", 'd',
           [](u64 a, u64 b, u64 c) { return low64(i32(a) * i32(b) + i64(c)); }},
          {"mad.wide.u16 %r9, %h6, %h7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) { return low32(n16(a) * n16(b) + n32(c)); }},
          {"sad.s32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) {
             const s128 v = i32(a) - i32(b);
             return low32((v < 0 ? -v : v) + i32(c));
           }},
      },
      inputs_of(kEdges, 1));
}

TEST(PtxInteger, DivideAndCompare) {
  check_all(
      {
          {"div.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return i32(b) == 0 ? 0xffffffffU : low32(i32(a) / i32(b)); }},
          {"div.u32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return n32(b) == 0 ? 0xffffffffU : low32(n32(a) / n32(b)); }},
          {"div.s64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return b == 0 ? ~0ULL : low64(i64(a) / i64(b)); }},
          {"div.u64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return b == 0 ? ~0ULL : a / b; }},
          {"div.s16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return i16(b) == 0 ? 0xffffU : low16(i16(a) / i16(b)); }},
          {"rem.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return i32(b) == 0 ? low32(i32(a)) : low32(i32(a) % i32(b)); }},
          {"rem.u64 %rd9, %rd6, %rd7;", 'd', [](u64 a, u64 b, u64) { return b == 0 ? a : a % b; }},
          {"rem.s64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return b == 0 ? a : low64(i64(a) % i64(b)); }},
          {"add.s16x2 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return pair_of(low16(a + b), low16((n32(a) >> 16) + (n32(b) >> 16)));
           }},
          {"min.u16x2 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return pair_of(low16(std::min(n16(a), n16(b))),
                            low16(std::min(n16(a >> 16), n16(b >> 16))));
           }},
          {"max.s16x2 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return pair_of(low16(std::max(i16(a), i16(b))),
                            low16(std::max(i16(a >> 16), i16(b >> 16))));
           }},
          {"min.relu.s16x2 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             const auto half = [](u64 x, u64 y) {
               return low16(std::max<s128>(std::min(i16(x), i16(y)), 0));
             };
             return pair_of(half(a, b), half(a >> 16, b >> 16));
           }},
          {"max.relu.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return low32(std::max<s128>(std::max(i32(a), i32(b)), 0)); }},
          {"min.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return low32(std::min(i32(a), i32(b))); }},
          {"min.u64 %rd9, %rd6, %rd7;", 'd', [](u64 a, u64 b, u64) { return std::min(a, b); }},
          {"max.s64 %rd9, %rd6, %rd7;", 'd',
           [](u64 a, u64 b, u64) { return low64(std::max(i64(a), i64(b))); }},
          {"max.u16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return low16(std::max(n16(a), n16(b))); }},
          {"neg.s32 %r9, %r6;", 'r', [](u64 a, u64, u64) { return low32(-i32(a)); }},
          {"neg.s64 %rd9, %rd6;", 'd', [](u64 a, u64, u64) { return low64(-i64(a)); }},
          {"abs.s32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) { return low32(i32(a) < 0 ? -i32(a) : i32(a)); }},
          {"setp.lt.s32 %p9, %r6, %r7;", 'p',
           [](u64 a, u64 b, u64) { return u64{i32(a) < i32(b)}; }},
          {"setp.lo.u32 %p9, %r6, %r7;", 'p',
           [](u64 a, u64 b, u64) { return u64{n32(a) < n32(b)}; }},
          {"setp.hs.u64 %p9, %rd6, %rd7;", 'p', [](u64 a, u64 b, u64) { return u64{a >= b}; }},
          {"setp.ne.s16 %p9, %h6, %h7;", 'p',
           [](u64 a, u64 b, u64) { return u64{i16(a) != i16(b)}; }},
          {"setp.ge.and.s64 %p9, %rd6, %rd7, !%p8;", 'p',
           [](u64 a, u64 b, u64 c) { return u64{i64(a) >= i64(b) && static_cast<u32>(c) == 0}; }},
          {"setp.le.xor.s64 %p10|%p9, %rd6, %rd7, %p8;", 'p',
           [](u64 a, u64 b, u64 c) {
             return u64{(i64(a) > i64(b)) != (static_cast<u32>(c) != 0)};
           }},
          {"set.gt.u32.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return i32(a) > i32(b) ? 0xffffffffULL : 0; }},
          {"selp.b32 %r9, %r6, %r7, %p8;", 'r',
           [](u64 a, u64 b, u64 c) { return low32(static_cast<u32>(c) != 0 ? n32(a) : n32(b)); }},
          {"slct.u64.s32 %rd9, %rd6, %rd7, %r8;", 'd',
           [](u64 a, u64 b, u64 c) { return i32(c) >= 0 ? a : b; }},
          {"and.pred %p9, %p6, !%p7;", 'p',
           [](u64 a, u64 b, u64) {
             return u64{static_cast<u32>(a) != 0 && static_cast<u32>(b) == 0};
           }},
          {"not.pred %p9, %p6;", 'p',
           [](u64 a, u64, u64) { return u64{static_cast<u32>(a) == 0}; }},
          {"mov.pred %p9, -1;", 'p', [](u64, u64, u64) { return u64{1}; }},
      },
      inputs_of(kEdges, 2));
}

u64 bits_at(u64 v, unsigned from, unsigned count) {  // one by one
  u64 r = 0;
  for (unsigned k = 0; k < count; ++k) r |= (v >> (from + k) & 1) << k;
  return r;
}
u64 bfe(u64 a, u64 b, u64 c, unsigned width, bool is_signed) {  // the manual's pseudocode
  const u64 pos = b & 0xff, len = c & 0xff, msb = width - 1;
  const u64 sign = !is_signed || len == 0 ? 0 : a >> std::min(pos + len - 1, msb) & 1;
  u64 d = 0;
  for (u64 i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
  return d;
}
u64 bfi(u64 a, u64 b, u64 c, u64 d, unsigned width) {
  const u64 pos = c & 0xff, len = d & 0xff, msb = width - 1;
  u64 f = width == 32 ? static_cast<u32>(b) : b;
  for (u64 i = 0; i < len && pos + i <= msb; ++i) {
    const u64 bit = 1ULL << (pos + i);
    f = (a >> i & 1) != 0 ? f | bit : f & ~bit;
  }
  return f;
}

TEST(PtxInteger, ShiftsAndFields) {
  check_all(
      {
          {"shl.b32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return static_cast<u32>(b) > 31 ? 0 : low32(n32(a) << static_cast<u32>(b));
           }},
          {"shl.b64 %rd9, %rd6, %r7;", 'd',
           [](u64 a, u64 b, u64) {
             return static_cast<u32>(b) > 63 ? 0 : a << static_cast<u32>(b);
           }},
          {"shl.b16 %h9, %h6, %r7;", 'h',
           [](u64 a, u64 b, u64) {
             return static_cast<u32>(b) > 15 ? 0 : low16(n16(a) << static_cast<u32>(b));
           }},
          {"shr.u32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return static_cast<u32>(b) > 31 ? 0 : low32(n32(a) >> static_cast<u32>(b));
           }},
          {"shr.s32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) {
             return low32(i32(a) >> std::min<u32>(static_cast<u32>(b), 31));
           }},
          {"shr.s64 %rd9, %rd6, %r7;", 'd',
           [](u64 a, u64 b, u64) {
             return low64(i64(a) >> std::min<u32>(static_cast<u32>(b), 63));
           }},
          {"shr.s16 %h9, %h6, %r7;", 'h',
           [](u64 a, u64 b, u64) {
             return low16(i16(a) >> std::min<u32>(static_cast<u32>(b), 15));
           }},
          {"shf.r.wrap.b32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) {
             return bits_at((b << 32) | static_cast<u32>(a), c & 31, 32);
           }},
          {"shf.l.clamp.b32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) {
             const u64 n = std::min<u64>(static_cast<u32>(c), 32);
             return bits_at((b << 32) | static_cast<u32>(a), static_cast<unsigned>(32 - n), 32);
           }},
          {"and.b32 %r9, %r6, %r7;", 'r',
           [](u64 a, u64 b, u64) { return static_cast<u32>(a & b); }},
          {"or.b64 %rd9, %rd6, %rd7;", 'd', [](u64 a, u64 b, u64) { return a | b; }},
          {"xor.b16 %h9, %h6, %h7;", 'h',
           [](u64 a, u64 b, u64) { return static_cast<u16>(a ^ b); }},
          {"not.b64 %rd9, %rd6;", 'd', [](u64 a, u64, u64) { return ~a; }},
          {"popc.b64 %r9, %rd6;", 'r',
           [](u64 a, u64, u64) {
             u64 n = 0;
             for (; a != 0; a >>= 1) n += a & 1;
             return n;
           }},
          {"clz.b32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) {
             u64 n = 0;
             while (n < 32 && (a >> (31 - n) & 1) == 0) ++n;
             return n;
           }},
          {"clz.b64 %r9, %rd6;", 'r',
           [](u64 a, u64, u64) {
             u64 n = 0;
             while (n < 64 && (a >> (63 - n) & 1) == 0) ++n;
             return n;
           }},
          {"bfind.u32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) {
             for (u32 k = 32; k-- > 0;)
               if ((a >> k & 1) != 0) return u64{k};
             return u64{0xffffffff};
           }},
          {"bfind.s64 %r9, %rd6;", 'r',
           [](u64 a, u64, u64) {
             for (u32 k = 64; k-- > 0;)
               if ((a >> k & 1) != a >> 63) return u64{k};
             return u64{0xffffffff};
           }},
          {"bfind.shiftamt.u32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) {
             for (u32 k = 32; k-- > 0;)
               if ((a >> k & 1) != 0) return u64{31 - k};
             return u64{0xffffffff};
           }},
          {"brev.b32 %r9, %r6;", 'r',
           [](u64 a, u64, u64) {
             u64 r = 0;
             for (u32 k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
             return r;
           }},
          {"bfe.u32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) { return bfe(static_cast<u32>(a), b, c, 32, false); }},
          {"bfe.s32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) {
             return static_cast<u32>(bfe(static_cast<u32>(a), b, c, 32, true));
           }},
          {"bfe.u64 %rd9, %rd6, %r7, %r8;", 'd',
           [](u64 a, u64 b, u64 c) { return bfe(a, b, c, 64, false); }},
          {"bfe.s64 %rd9, %rd6, %r7, %r8;", 'd',
           [](u64 a, u64 b, u64 c) { return bfe(a, b, c, 64, true); }},
          {"bfi.b32 %r9, %r6, %r7, %r8, 9;", 'r',
           [](u64 a, u64 b, u64 c) { return bfi(a, b, c, 9, 32); }},
          {"bfi.b64 %rd9, %rd6, %rd7, 5, %r8;", 'd',
           [](u64 a, u64 b, u64 c) { return bfi(a, b, 5, c, 64); }},
          {"lop3.b32 %r9, %r6, %r7, %r8, 0xca;", 'r',
           [](u64 a, u64 b, u64 c) { return static_cast<u32>((a & b) | (~a & c)); }},
          {"prmt.b32 %r9, %r6, %r7, %r8;", 'r',
           [](u64 a, u64 b, u64 c) {
             u64 r = 0;
             const u64 all = static_cast<u32>(a) | b << 32;
             for (u32 k = 0; k < 4; ++k) {
               const u64 s = c >> (4 * k) & 15;
               u64 v = all >> (8 * (s & 7)) & 0xff;
               if ((s & 8) != 0) v = (v & 0x80) != 0 ? 0xff : 0;
               r |= v << (8 * k);
             }
             return r;
           }},
          {"mov.b64 %rd9, {%r6, %r7};", 'd',
           [](u64 a, u64 b, u64) { return static_cast<u32>(a) | b << 32; }},
          {"mov.b64 {%r10, %r9}, %rd6;", 'r', [](u64 a, u64, u64) { return a >> 32; }},
          {"mov.b32 {_, %h9}, %r6;", 'h', [](u64 a, u64, u64) { return a >> 16 & 0xffff; }},
      },
      inputs_of(kEdges, 3));
}

}  // namespace
}  // namespace sim::ptx
