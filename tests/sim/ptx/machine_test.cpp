// Whole launches: grids and blocks, parameters, what ends a run early, and where its warps are.
#include "sim/ptx/machine.h"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <thread>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

using namespace std::chrono_literals;

TEST(PtxMachine, AddsTwoNumbersPerThread) {
  std::vector<std::uint64_t> in(64);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = n * n;
  const Ran ran = run_lines(
      "ld.global.u64 %rd6, [%rd4]; add.u64 %rd6, %rd6, 5; st.global.u64 [%rd3], %rd6;", in, 64);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < in.size(); ++n) EXPECT_EQ(ran.out[n], n * n + 5);
}

TEST(PtxMachine, NumbersThreadsAndBlocks) {
  Launch launch;
  launch.grid[0] = 3, launch.grid[1] = 2, launch.grid[2] = 2;
  launch.block[0] = 5, launch.block[1] = 3, launch.block[2] = 2;
  launch.resident_blocks = 2;
  const Ran ran = run_text(kernel_of(R"(
    mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.y; mov.u32 %r4, %ctaid.y; mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r5, %tid.z; mov.u32 %r3, %ntid.y; mov.u32 %r4, %tid.y; mad.lo.u32 %r5, %r5, %r3, %r4;
    mov.u32 %r3, %ntid.x; mad.lo.u32 %r5, %r5, %r3, %r1;
    mad.lo.u32 %r6, %r2, 30, %r5; mul.wide.u32 %rd6, %r6, 8; add.u64 %rd6, %rd6, %rd1;
    cvt.u64.u32 %rd7, %r6; add.u64 %rd7, %rd7, 1; st.global.u64 [%rd6], %rd7;)"),
                           {0}, 360, launch);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < 360; ++n) EXPECT_EQ(ran.out[n], n + 1);
}

TEST(PtxMachine, MemoryOfAllSpacesByGenericAddresses) {
  std::vector<std::uint64_t> in(64, 7);
  Launch launch;
  launch.block[0] = 64;
  launch.dynamic_shared = 512;
  const Ran ran = run_text(kernel_of(R"(
    .local .align 8 .b8 spot[16];
    mov.u64 %rd6, spot; cvta.local.u64 %rd7, %rd6; st.u64 [%rd7+8], %rd5; ld.local.u64 %rd8, [spot+8];
    mov.u64 %rd9, late; cvta.shared.u64 %rd10, %rd9; add.u64 %rd10, %rd10, %rd5; st.u64 [%rd10], %rd8;
    bar.sync 0;
    add.u64 %rd9, %rd9, %rd5; ld.shared.u64 %rd11, [%rd9];
    isspacep.shared %p1, %rd10; isspacep.local %p2, %rd7; isspacep.global %p3, %rd1;
    selp.u64 %rd12, 1, 0, %p1; add.u64 %rd11, %rd11, %rd12; selp.u64 %rd12, 2, 0, %p2; add.u64 %rd11, %rd11, %rd12; selp.u64 %rd12, 4, 0, %p3; add.u64 %rd11, %rd11, %rd12;
    ld.const.u32 %r5, [numbers+4]; cvt.u64.u32 %rd12, %r5; shl.b64 %rd12, %rd12, 32; or.b64 %rd11, %rd11, %rd12;
    ld.v2.u16 {%h1, %h2}, [%rd2]; ld.s8 %r6, [%rd13];
    st.global.u64 [%rd3], %rd11;)",
                                     ".const .align 4 .b32 numbers[2] = {3, 9}; .extern .shared "
                                     ".align 16 .b8 late[]; .shared .align 4 .b8 early[10];"),
                           in, 64, launch);
  // %rd13 was never set: a load from it is an illegal address, and the sentence says where.
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_EQ(ran.outcome.failure->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(ran.outcome.failure->kernel, "k");
  const std::string good = kernel_of(R"(
    mov.u64 %rd9, late; cvta.shared.u64 %rd10, %rd9; add.u64 %rd10, %rd10, %rd5; st.u64 [%rd10], %rd5;
    bar.sync 0;
    add.u64 %rd9, %rd9, %rd5; ld.shared.u64 %rd11, [%rd9]; ld.const.u32 %r5, [numbers+4]; cvt.u64.u32 %rd12, %r5; shl.b64 %rd12, %rd12, 32;
    or.b64 %rd11, %rd11, %rd12; ld.s8 %r6, [%rd2]; cvt.s64.s32 %rd14, %r6; add.u64 %rd11, %rd11, %rd14; mov.u64 %rd20, early;
    st.shared.v2.u32 [%rd9], {%r1, %r6}; ld.shared.v2.u32 {%r7, %r8}, [%rd9]; cvt.u64.u32 %rd15, %r8; add.u64 %rd11, %rd11, %rd15;
    st.global.u64 [%rd3], %rd11;)",
                                     ".const .align 4 .b32 numbers[2] = {3, 9}; .extern .shared "
                                     ".align 16 .b8 late[]; .shared .align 4 .b8 early[10];");
  const Ran again = run_text(good, in, 64, launch);
  ASSERT_EQ(again.outcome.kind, Outcome::Kind::kCompleted);
  for (std::uint64_t n = 0; n < 64; ++n) EXPECT_EQ(again.out[n], 9ULL << 32 | (8 * n + 14));
}

TEST(PtxMachine, ModulesAreLinkedByName) {
  const std::string one = kernel_of(R"(
    { .param .b64 a; st.param.b64 [a], %rd5; .param .b64 b; call.uni (b), other, (a); ld.param.b64 %rd6, [b]; }
    ld.global.u64 %rd7, [shared_number]; add.u64 %rd6, %rd6, %rd7; st.global.u64 [%rd3], %rd6;)",
                                    ".extern .func (.param .b64 r) other(.param .b64 x); .extern "
                                    ".global .align 8 .u64 shared_number;");
  const std::string two = module_of(
      ".visible .global .align 8 .u64 shared_number = 1000;\n"
      ".visible .func (.param .b64 r) other(.param .b64 x) { .reg .b64 %rd<3>; ld.param.b64 %rd1, "
      "[x]; neg.s64 %rd1, %rd1; st.param.b64 [r], %rd1; ret; }");
  const ModuleText texts[] = {{"one", one}, {"two", two}};
  const Program program(texts);
  ASSERT_TRUE(program.variable("shared_number").has_value());
  EXPECT_EQ(*static_cast<std::uint64_t*>(program.variable("shared_number")->address), 1000U);
  EXPECT_THROW(Program(std::span(texts, 1)), Refused);
  std::vector<std::uint64_t> out(32);
  Memory memory;
  memory.add(out.data(), 256);
  const void* parameters[2] = {out.data(), nullptr};
  Launch launch;
  launch.kernel = program.kernel("k");
  launch.block[0] = 32;
  launch.parameters = {reinterpret_cast<const std::byte*>(parameters), 16};
  EXPECT_EQ(Execution(program, memory, launch).run({}).kind, Outcome::Kind::kCompleted);
  for (std::uint64_t n = 0; n < 32; ++n) EXPECT_EQ(out[n], 1000 - 8 * n);
}

Failure failure(const std::string& lines, const std::string& before = "") {
  const Ran ran = run_lines(lines, {1, 2, 3, 4}, 1, before);
  EXPECT_EQ(ran.outcome.kind, Outcome::Kind::kFailed);
  return ran.outcome.failure.value_or(Failure{});
}

TEST(PtxMachine, FaultsNameKernelThreadAndLine) {
  const Failure address =
      failure("\n.loc 1 42 7\nst.global.u64 [%rd1+8], 5;", ".file 1 \"relu.cu\"\n");
  EXPECT_EQ(address.kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(address.source, "relu.cu:42");
  EXPECT_NE(address.sentence.find("in kernel k, block (0,0,0), thread (0,0,0), at test:"),
            std::string::npos)
      << address.sentence;
  EXPECT_EQ(failure("ld.global.u32 %r5, [%rd1+2];").kind, FaultKind::kMisalignedAddress);
  EXPECT_EQ(failure("st.global.u64 [%rd2], 1;").kind,
            FaultKind::kIllegalAddress);  // read-only memory
  EXPECT_EQ(failure("ld.shared.u32 %r5, [0];").kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(failure("mov.u64 %rd6, -1; ld.u8 %r5, [%rd6];").kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(failure("trap;").kind, FaultKind::kTrap);
  EXPECT_EQ(failure("bar.sync 16;").kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(failure("mov.u64 %rd6, 12; { call %rd6, (); }").kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(failure("call self;", ".func self() { call self; ret; }").kind,
            FaultKind::kStackOverflow);
  EXPECT_EQ(failure("multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;").kind,
            FaultKind::kIllegalAddress);
  const Failure assertion = failure(
      "{ .param .b64 a; st.param.b64 [a], %rd6; mov.u64 %rd6, text; st.param.b64 [a], %rd6; .param "
      ".b64 b; st.param.b64 [b], %rd6; .param .b32 c;"
      " st.param.b32 [c], 12; .param .b64 d; st.param.b64 [d], %rd6; .param .b64 e; st.param.b64 "
      "[e], 1; call __assertfail, (a, b, c, d, e); }",
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e); .global .align 1 .b8 text[3] = {111, 107};");
  EXPECT_EQ(assertion.kind, FaultKind::kAssert);
  EXPECT_NE(assertion.sentence.find("assertion 'ok' in ok, ok:12"), std::string::npos)
      << assertion.sentence;
}

TEST(PtxMachine, AStuckKernelSaysWhereItIsCostsLittleAndStops) {
  const std::string text = kernel_of(R"(
    shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0; @%p1 bra wait;
    bar.sync 3, 64;
  wait:
    ld.volatile.global.u64 %rd6, [%rd1]; setp.eq.u64 %p2, %rd6, 0; @%p2 bra wait;)");
  const ModuleText module{"stuck", text};
  const Program program({&module, 1});
  std::uint64_t flag = 0;
  Memory memory;
  memory.add(&flag, sizeof flag);
  const void* parameters[2] = {&flag, nullptr};
  Launch launch;
  launch.kernel = program.kernel("k");
  launch.block[0] = 64;
  launch.parameters = {reinterpret_cast<const std::byte*>(parameters), 16};
  Execution execution(program, memory, launch);
  Outcome outcome;
  double cpu_seconds = 0;
  std::jthread runner([&](const std::stop_token& stop) {
    outcome = execution.run(stop);
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    cpu_seconds = static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
  });
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Position> positions;
  while (positions.size() < 2 || positions[0].state != Position::State::kSpinning ||
         positions[1].state != Position::State::kAtBarrier) {
    positions = execution.positions();
    ASSERT_LT(std::chrono::steady_clock::now() - begin, 60s);
  }
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(positions[1].barrier, 3U);
  EXPECT_EQ(positions[1].arrived, 32U);
  EXPECT_EQ(positions[1].expected, 64U);
  EXPECT_NE(
      describe(positions[1]).find("waits at barrier 3, 32 threads have come of 64 in k, line"),
      std::string::npos)
      << describe(positions[1]);
  EXPECT_NE(describe(positions[0]).find("spins in k, line"), std::string::npos)
      << describe(positions[0]);
  runner.request_stop();
  runner.join();
  EXPECT_EQ(outcome.kind, Outcome::Kind::kStopped);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(cpu_seconds, 0.1 * seconds);
  EXPECT_TRUE(execution.positions().empty());
}

TEST(PtxMachine, WhatDoesNotFitIsRefused) {
  const std::string text = kernel_of("");
  const ModuleText module{"m", text};
  const Program program({&module, 1});
  const Memory memory;
  std::byte parameters[16]{};
  Launch launch;
  launch.kernel = program.kernel("k");
  launch.parameters = parameters;
  EXPECT_NO_THROW(Execution(program, memory, launch));
  launch.block[0] = 1025;
  EXPECT_THROW(Execution(program, memory, launch), Refused);
  launch.block[0] = 1;
  launch.parameters = std::span(parameters, 8);
  EXPECT_THROW(Execution(program, memory, launch), Refused);
  launch.kernel = program.kernel("other");
  EXPECT_THROW(Execution(program, memory, launch), Refused);
}

}  // namespace
}  // namespace sim::ptx
