// Random programs: clang compiles the same C++ to PTX and for the host, and both give the same
// bits. Integers wrap, shifts are masked, divisors are odd. Float operations are +, -, *, /, fma
// and sqrt, which IEEE makes exact. All NaNs are made equal, because the host's differ from the
// device's.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/ptx/clang.h"
#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string function(int number) {
    std::string body =
        "DEVICE NOINLINE u64 run" + std::to_string(number) + "(u64 y0, u64 y1, u64 y2) {\n";
    body +=
        "u32 x0 = (u32)y0, x1 = (u32)(y1 >> 32), x2 = (u32)y2 + 3; float f0 = (float)(int)x0, f1 = "
        "as_float(x1);\n";
    body +=
        "double d0 = (double)(s64)y1, d1 = (double)f0; u32 t[8] = {x0, x1, x2, 1, 2, 3, 4, 5};\n";
    const int statements = 6 + pick(10);
    for (int n = 0; n < statements; ++n) body += statement(2);
    if (number % 5 != 0) body += "y0 ^= run" + std::to_string(number / 5 * 5) + "(y1, x0, y2);\n";
    return body +
           "return y0 ^ y1 * 3 ^ y2 ^ ((u64)x0 << 32) ^ x1 ^ x2 ^ bits(f0) ^ bits(f1) ^ bits(d0) ^ "
           "bits(d1) ^ t[x2 & 7] ^ t[1];\n}\n";
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string any(std::initializer_list<const char*> of) {
    return of.begin()[pick(static_cast<int>(of.size()))];
  }

  std::string x(int depth) {  // u32
    if (depth == 0 || pick(4) == 0)
      return pick(4) == 0 ? std::to_string(random_()) + "u"
                          : any({"x0", "x1", "x2", "t[x0 & 7]", "t[x1 & 3]"});
    const std::string a = x(depth - 1), b = x(depth - 1);
    switch (pick(18)) {
      case 0:
        return "(" + a + " << (" + b + " & 31))";
      case 1:
        return "(" + a + " >> (" + b + " & 31))";
      case 2:
        return "(u32)((int)" + a + " >> (" + b + " & 31))";
      case 3:
        return "(" + a + " / (" + b + " | 1))";
      case 4:
        return "(" + a + " % (" + b + " | 1))";
      case 5:
        return "(u32)((int)" + a + " / (int)((" + b + " & 0xffff) | 1))";
      case 6:
        return "(u32)(" + y(depth - 1) + " >> 17)";
      case 7:
        return "(u32)__builtin_popcount(" + a + ")";
      case 8:
        return "(u32)__builtin_clz(" + a + " | 1)";
      case 9:
        return "(" + a + " < " + b + " ? " + a + " : " + b + ")";
      case 10:
        return "(u32)((int)" + a + " < (int)" + b + " ? " + b + " : " + a + ")";
      case 11:
        return "(u32)(unsigned char)" + a;
      case 12:
        return "(u32)(short)" + a;
      case 13:
        return "(" + f(depth - 1) + (pick(2) == 0 ? " < " : " >= ") + f(depth - 1) + " ? " + a +
               " : " + b + ")";
      case 14:
        return "to_int(" + f(depth - 1) + ")";
      case 15:
        return "((" + a + " << 7) | (" + a + " >> 25))";
      default:
        return "(" + a + " " + any({"+", "-", "*", "&", "|", "^"}) + " " + b + ")";
    }
  }
  std::string y(int depth) {  // u64
    if (depth == 0 || pick(4) == 0)
      return any({"y0", "y1", "y2", "(u64)x0", "(u64)(s64)(int)x1", "0x123456789abcdefull"});
    const std::string a = y(depth - 1), b = y(depth - 1);
    switch (pick(12)) {
      case 0:
        return "(" + a + " << (" + x(depth - 1) + " & 63))";
      case 1:
        return "(" + a + " >> (" + x(depth - 1) + " & 63))";
      case 2:
        return "(u64)((s64)" + a + " >> (" + x(depth - 1) + " & 63))";
      case 3:
        return "(" + a + " / (" + b + " | 1))";
      case 4:
        return "(u64)((s64)" + a + " % (s64)((" + b + " & 0xffffff) | 1))";
      case 5:
        return "(u64)((unsigned __int128)" + a + " * " + b + " >> 64)";
      case 6:
        return "((u64)" + x(depth - 1) + " * " + x(depth - 1) + ")";
      case 7:
        return "((s64)" + a + " < (s64)" + b + " ? " + a + " : " + b + ")";
      case 8:
        return "(u64)__builtin_popcountll(" + a + ")";
      default:
        return "(" + a + " " + any({"+", "-", "*", "&", "|", "^"}) + " " + b + ")";
    }
  }
  std::string f(int depth) {
    if (depth == 0 || pick(4) == 0) return any({"f0", "f1", "1.5f", "-0.0f", "1e-39f", "3e38f"});
    const std::string a = f(depth - 1), b = f(depth - 1);
    switch (pick(10)) {
      case 0:
        return "__builtin_fmaf(" + a + ", " + b + ", " + f(depth - 1) + ")";
      case 1:
        return "(float)(int)" + x(depth - 1);
      case 2:
        return "(float)" + y(depth - 1);
      case 3:
        return "(float)" + d(depth - 1);
      case 4:
        return "(- " + a + ")";
      case 5:
        return "as_float(" + x(depth - 1) + ")";
      default:
        return "(" + a + " " + any({"+", "-", "*", "/"}) + " " + b + ")";
    }
  }
  std::string d(int depth) {
    if (depth == 0 || pick(4) == 0) return any({"d0", "d1", "0.1", "-3.0", "1e300"});
    const std::string a = d(depth - 1), b = d(depth - 1);
    switch (pick(8)) {
      case 0:
        return "(double)" + f(depth - 1);
      case 1:
        return "(double)(s64)" + y(depth - 1);
      case 2:
        return "__builtin_fma(" + a + ", " + b + ", d1)";
      default:
        return "(" + a + " " + any({"+", "-", "*", "/"}) + " " + b + ")";
    }
  }
  std::string statement(int depth) {
    switch (pick(depth == 0 ? 5 : 9)) {
      case 0:
        return any({"x0", "x1", "x2"}) + " = " + x(3) + ";\n";
      case 1:
        return any({"y0", "y1", "y2"}) + " " + any({"=", "+=", "^="}) + " " + y(3) + ";\n";
      case 2:
        return any({"f0", "f1"}) + " = " + f(3) + ";\n";
      case 3:
        return any({"d0", "d1"}) + " = " + d(3) + ";\n";
      case 4:
        return "t[" + x(1) + " & 7] = " + x(2) + ";\n";
      case 5:
        return "if (" + x(2) + " & 4) {\n" + statement(depth - 1) + "} else {\n" +
               statement(depth - 1) + "}\n";
      case 6:
        return "for (u32 i" + std::to_string(depth) + " = 0, n = " + x(1) + " & 15; i" +
               std::to_string(depth) + " < n; ++i" + std::to_string(depth) + ") {\n" +
               statement(depth - 1) + "if ((x1 & 63) == 9) break;\n" + statement(depth - 1) + "}\n";
      case 7:
        return "switch (" + x(1) + " & 7) { case 0: " + statement(0) +
               " break; case 1: " + statement(0) + " case 2: " + statement(0) +
               " break; case 3: " + statement(0) + " break; case 5: " + statement(0) +
               " break; default: " + statement(0) + " }\n";
      default:
        return "do {\n" + statement(depth - 1) +
               "x2 = x2 * 5 + 1;\n} while ((x2 & 0x700) != 0x100 && ++k < 40);\n";
    }
  }

  std::mt19937 random_;
};

constexpr int kFunctions = 20;

std::string program(unsigned seed) {
  std::string text = R"(
typedef unsigned u32; typedef unsigned long long u64; typedef long long s64;
#ifdef __CUDA__
#define DEVICE __attribute__((device))
#else
#define DEVICE static
#endif
#define NOINLINE __attribute__((noinline))
DEVICE inline float as_float(u32 x) { float f; __builtin_memcpy(&f, &x, 4); return f; }
DEVICE inline u32 to_int(float f) { return f > -1e9f && f < 1e9f ? (u32)(int)f : 7; }
DEVICE inline u64 bits(float f) { u32 x; __builtin_memcpy(&x, &f, 4); return f != f ? 0x7fffffff : x; }
DEVICE inline u64 bits(double d) { u64 x; __builtin_memcpy(&x, &d, 8); return d != d ? 0x7fffffffffffffffull : x; }
)";
  Generator generator(seed);
  for (int n = 0; n < kFunctions; ++n) {
    std::string function = generator.function(n);
    function.insert(function.find("{\n") + 2, "u32 k = 0; (void)k;\n");
    text += function;
  }
  std::string calls = "switch (which) {";
  for (int n = 0; n < kFunctions; ++n)
    calls += "case " + std::to_string(n) + ": return run" + std::to_string(n) + "(a, b, c);\n";
  text += "DEVICE NOINLINE u64 one(u64 which, u64 a, u64 b, u64 c) { " + calls +
          "default: return 0; } }\n";
  return text + R"(
#ifdef __CUDA__
extern "C" __attribute__((global)) void k(u64* out, const u64* in) {
  const u32 i = __nvvm_read_ptx_sreg_tid_x();
  out[i] = one(in[0], in[1 + 3 * i], in[2 + 3 * i], in[3 + 3 * i]);
}
#else
extern "C" void k(u64* out, const u64* in, u32 n) {
  for (u32 i = 0; i < n; ++i) out[i] = one(in[0], in[1 + 3 * i], in[2 + 3 * i], in[3 + 3 * i]);
}
#endif
)";
}

class PtxRandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(PtxRandomPrograms, GiveTheHostsBits) {
  if (clang().empty()) GTEST_SKIP() << "no clang 16 or later with the NVPTX target is installed";
  const unsigned seed = GetParam();
  const Folder folder;
  write_file(folder / "a.cu", program(seed));
  const std::string level = " -O" + std::to_string(seed % 4) + " -std=c++17 -ffp-contract=off ";
  ASSERT_TRUE(shell(clang() + kForPtx + level + (folder / "a.cu") + " -o " + (folder / "a.ptx")));
  ASSERT_TRUE(shell(clang() + " -x c++ -w -shared -fPIC -O1 -ffp-contract=off -std=c++17 " +
                    (folder / "a.cu") + " -o " + (folder / "a.so")));
  void* library = dlopen((folder / "a.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto host = reinterpret_cast<void (*)(std::uint64_t*, const std::uint64_t*, std::uint32_t)>(
      dlsym(library, "k"));
  ASSERT_NE(host, nullptr);
  const std::string text = read_file(folder / "a.ptx");

  constexpr std::uint32_t kThreads = 96;
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> in(1 + 3 * kThreads);
  for (std::uint64_t& value : in) value = random() >> random() % 64;
  std::vector<std::uint64_t> expected(kThreads);
  Launch launch;
  launch.block[0] = kThreads;
  for (std::uint64_t which = 0; which < kFunctions; ++which) {
    in[0] = which;
    host(expected.data(), in.data(), kThreads);
    const Ran ran = run_text(text, in, kThreads, launch);
    ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted)
        << ran.outcome.failure.value_or(Failure{}).sentence;
    ASSERT_EQ(ran.out, expected) << "function " << which << " of seed " << seed;
  }
  dlclose(library);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PtxRandomPrograms, testing::Range(1U, 13U));

}  // namespace
}  // namespace sim::ptx
