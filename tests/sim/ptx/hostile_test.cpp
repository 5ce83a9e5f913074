// Text that is cut, changed or made up gives an error with a line, and never a crash.
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

std::string refusal(const std::string& text) {
  const ModuleText module{"m", text};
  try {
    const Program program({&module, 1});
    return {};
  } catch (const Refused& refused) {
    return refused.what();
  }
}

const std::string kModule =
    kernel_of(R"(
    .local .align 8 .b8 spot[16];
    mov.u64 %rd6, spot; and.b32 %r2, %r1, 1; table: .branchtargets a, b;
    brx.idx %r2, table;
  a: @%p1 bra b; ld.global.v2.u32 {%r3, %r4}, [%rd2+-8]; setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;
  b: { .param .b64 x; st.param.b64 [x], %rd5; .param .b64 y; call.uni (y), f, (x); ld.param.b64 %rd9, [y]; }
    shfl.sync.idx.b32 %r5|%p1, %r1, 2, 31, -1; .loc 1 3 4
    cvt.rn.f16.f32 %h1, %f1;)",
              ".file 1 \"a.cu\"\n.extern .shared .align 16 .b8 s[]; /* note */ .global .align 8 "
              ".u64 t[2] = {f, generic(t)+8};\n"
              ".func (.param .b64 r) f(.param .b64 x) { ret; }\n.section .debug_info { .b8 1 }\n");

TEST(PtxHostile, EveryPrefixOfAModule) {
  ASSERT_EQ(refusal(kModule), "");
  std::size_t refused = 0;
  for (std::size_t length = 0; length < kModule.size(); ++length) {
    refused += refusal(kModule.substr(0, length)).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, kModule.size() * 3 / 4);  // a prefix may be whole
}

TEST(PtxHostile, EveryByteLeftOutOrChanged) {
  std::mt19937 random(11);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < kModule.size(); ++at) {
    std::string text = kModule;
    text.erase(at, 1);
    refused += refusal(text).empty() ? 0 : 1;
    text = kModule;
    text[at] = static_cast<char>(random() % 256);
    refused += refusal(text).empty() ? 0 : 1;
    text = kModule;
    text[at] = "{}()[];,.%@-9"[random() % 13];
    refused += refusal(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, kModule.size());
}

// A changed module that still loads must run, or fail with an error.
TEST(PtxHostile, ChangedModulesThatLoadAreRunWithoutHarm) {
  std::mt19937 random(12);
  const std::vector<std::uint64_t> in(64);
  for (int round = 0; round < 400; ++round) {
    std::string text = kModule;
    for (int k = 0; k < 2; ++k) {
      const std::size_t at =
          text.find(".visible") + random() % (text.size() - text.find(".visible"));
      if (text[at] >= '0' && text[at] <= '9') text[at] = static_cast<char>('0' + random() % 10);
    }
    if (!refusal(text).empty() ||
        text.find(".param .u64 k_0, .param .u64 k_1") == std::string::npos)
      continue;
    Launch launch;
    launch.block[0] = 32;
    const ModuleText module{"m", text};
    if (Program({&module, 1}).kernel("k") == nullptr) continue;
    std::stop_source stop;
    run_text(text, in, 32, launch, stop.get_token());
  }
}

TEST(PtxHostile, SentencesNameLineAndOpcode) {
  EXPECT_EQ(refusal("hello"), "m:1: this is no PTX: it does not begin with .version");
  EXPECT_NE(refusal(kernel_of("tensormap.replace.tile %r1;"))
                .find(": tensormap.replace.tile: the opcode is not known"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("add.u128 %r1, %r2, %r3;")).find(": add.u128: no type that is known"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("add.foo.u32 %r1, %r2, %r3;")).find("'.foo' is not known here"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("add.u32 %r1, %r2;")).find("has 2 operands"), std::string::npos);
  EXPECT_NE(
      refusal(kernel_of("add.u32 %r1, %rd2, %r3;")).find("an operand has not the size of its type"),
      std::string::npos);
  EXPECT_NE(refusal(kernel_of("add.u32 %r99, %r2, %r3;")).find("its result is no register"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("bra nowhere;")).find("the label 'nowhere' is missing"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("call nobody;")).find("nothing is called 'nobody'"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];"))
                .find("its type and size are not covered"),
            std::string::npos);
  EXPECT_NE(refusal(kernel_of("vote.all.pred %p1, %p2;")).find("without .sync"), std::string::npos);
  EXPECT_NE(
      refusal(module_of(".global .b8 huge[99999999999999];")).find("is larger than any memory"),
      std::string::npos);
  EXPECT_NE(refusal(module_of(".global .b8 t[1] = {1, 2};")).find("more initial values than room"),
            std::string::npos);
  EXPECT_NE(refusal(module_of(".visible .entry k() { .shared .b8 s[300000]; .reg .b64 %rd<2>; "
                              "mov.u64 %rd1, s; ret; }"))
                .find("more shared memory"),
            std::string::npos);
  EXPECT_NE(
      refusal(module_of(".func f() { .reg .b32 %r<99999999>; ret; }")).find("too many registers"),
      std::string::npos);
  EXPECT_NE(refusal(module_of(".func f() { " + std::string(100, '{'))).find("nested too deeply"),
            std::string::npos);
}

}  // namespace
}  // namespace sim::ptx
