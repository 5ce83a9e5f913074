// One opcode at a time, on values that are likely to go wrong and on random ones, against a
// reference that the test computes itself.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {

using Reference = std::function<std::uint64_t(std::uint64_t a, std::uint64_t b, std::uint64_t c)>;

// `line` computes %rd9, %r9, %h9, %f9, %fd9 or %p9 (named by `result`: d, r, h, f, g, p) from the
// same names with 6, 7 and 8, which hold a, b and c in their low bits.
struct Case {
  std::string line;
  char result;
  Reference expected;
};

inline constexpr std::size_t kCaseThreads = 512;

// Three inputs for each thread.
inline std::vector<std::uint64_t> random_inputs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> in(3 * kCaseThreads);
  for (std::uint64_t& value : in) {
    value = random();
    if (random() % 4 == 0) value >>= random() % 64;
    if (random() % 8 == 0) value = 0 - value;
  }
  return in;
}

// Every pair of `values` as a and b; then random ones.
inline std::vector<std::uint64_t> inputs_of(const std::vector<std::uint64_t>& values,
                                            std::uint64_t seed) {
  std::vector<std::uint64_t> in = random_inputs(seed);
  std::size_t n = 0;
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      if (n == kCaseThreads) return in;
      in[n] = a;
      in[n + kCaseThreads] = b;
      in[n + 2 * kCaseThreads] = values[(n * 7) % values.size()];
      ++n;
    }
  }
  return in;
}

inline void check(const Case& test, const std::vector<std::uint64_t>& in) {
  std::string lines =
      "ld.global.u64 %rd6, [%rd4]; ld.global.u64 %rd7, [%rd4+4096]; ld.global.u64 %rd8, "
      "[%rd4+8192];\n";
  for (const char n : {'6', '7', '8'}) {
    std::string line =
        "cvt.u32.u64 %rN, %rdN; cvt.u16.u64 %hN, %rdN; mov.b32 %fN, %rN; mov.b64 %fdN, %rdN; "
        "setp.ne.u32 %pN, %rN, 0;\n";
    std::ranges::replace(line, 'N', n);
    lines += line;
  }
  lines += test.line + "\n";
  switch (test.result) {
    case 'r':
      lines += "cvt.u64.u32 %rd9, %r9;";
      break;
    case 'h':
      lines += "cvt.u64.u16 %rd9, %h9;";
      break;
    case 'f':
      lines += "mov.b32 %r9, %f9; cvt.u64.u32 %rd9, %r9;";
      break;
    case 'g':
      lines += "mov.b64 %rd9, %fd9;";
      break;
    case 'p':
      lines += "selp.u64 %rd9, 1, 0, %p9;";
      break;
    default:
      break;
  }
  const Ran ran = run_lines(lines + " st.global.u64 [%rd3], %rd9;", in, kCaseThreads);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted) << test.line;
  for (std::size_t n = 0; n < kCaseThreads; ++n) {
    const std::uint64_t a = in[n], b = in[n + kCaseThreads], c = in[n + 2 * kCaseThreads];
    ASSERT_EQ(ran.out[n], test.expected(a, b, c))
        << test.line << std::hex << " of " << a << ", " << b << ", " << c;
  }
}

inline void check_all(const std::vector<Case>& cases, const std::vector<std::uint64_t>& in) {
  for (const Case& test : cases) check(test, in);
}

}  // namespace sim::ptx
