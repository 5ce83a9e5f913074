// Lanes that diverge and rejoin: loops, votes and barriers after branches, lanes that wait for each
// other.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

const std::vector<std::uint64_t> kNothing(64);

TEST(PtxDivergence, LanesLeaveALoopOneByOneAndMeetBehindIt) {
  const Ran ran = run_lines(R"(
    mov.u32 %r2, 0;
  loop:
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %r1;
    @%p1 bra loop;
    activemask.b32 %r3;
    mul.wide.u32 %rd6, %r3, 1;
    shl.b64 %rd6, %rd6, 8;
    cvt.u64.u32 %rd7, %r2;
    or.b64 %rd6, %rd6, %rd7;
    st.global.u64 [%rd3], %rd6;)",
                            kNothing);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::uint64_t n = 0; n < 32; ++n) EXPECT_EQ(ran.out[n], 0xffffffffULL << 8 | (n + 1));
}

TEST(PtxDivergence, NestedLoopsWithBreaks) {
  // for i in 0..9: for j in 0..lane: if j * i > 20 break 2; if j == 7 break; sum += j + i
  const Ran ran = run_lines(R"(
    mov.u32 %r2, 0; mov.u32 %r9, 0;
  outer:
    mov.u32 %r3, 0;
  inner:
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra next;
    mul.lo.u32 %r4, %r2, %r3;
    setp.gt.u32 %p2, %r4, 20;
    @%p2 bra done;
    setp.eq.u32 %p3, %r3, 7;
    @%p3 bra next;
    add.u32 %r9, %r9, %r2; add.u32 %r9, %r9, %r3;
    add.u32 %r3, %r3, 1;
    bra inner;
  next:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p4, %r2, 9;
    @%p4 bra outer;
  done:
    activemask.b32 %r5;
    cvt.u64.u32 %rd6, %r9; cvt.u64.u32 %rd7, %r5; shl.b64 %rd7, %rd7, 32; or.b64 %rd6, %rd6, %rd7;
    st.global.u64 [%rd3], %rd6;)",
                            kNothing);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0, over = 0; i < 9 && over == 0; ++i) {
      for (std::uint32_t j = 0; j < lane; ++j) {
        if (j * i > 20) {
          over = 1;
          break;
        }
        if (j == 7) break;
        sum += i + j;
      }
    }
    EXPECT_EQ(ran.out[lane], 0xffffffffULL << 32 | sum) << lane;
  }
}

TEST(PtxDivergence, ALaneSpinsOnWhatItsSiblingDoesLater) {
  // Lane 0 waits for a flag that lane 1 sets after the point where both would rejoin.
  const Ran ran = run_lines(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra meet;
  wait:
    ld.volatile.global.u64 %rd6, [%rd1+8];
    setp.eq.u64 %p2, %rd6, 0;
    @%p2 bra wait;
  meet:
    setp.ne.u32 %p3, %r1, 1;
    @%p3 bra store;
    mov.u64 %rd7, 77;
    st.volatile.global.u64 [%rd1+8], %rd7;
  store:
    setp.ne.u32 %p4, %r1, 0;
    @%p4 bra over;
    st.global.u64 [%rd3], %rd6;
  over:)",
                            kNothing);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  EXPECT_EQ(ran.out[0], 77U);
}

TEST(PtxDivergence, ProducerAndConsumerLanesOfOneWarp) {
  // Even lanes hand numbers to odd ones through shared memory, one at a time.
  const Ran ran = run_lines(R"(
    shr.u32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 8; mov.u64 %rd7, box; add.u64 %rd6, %rd6, %rd7;
    st.volatile.shared.u64 [%rd6], 0;
    bar.warp.sync -1;
    and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1;
    mov.u32 %r4, 0; mov.u64 %rd10, 0;
    @%p1 bra consume;
  produce:
    ld.volatile.shared.u64 %rd8, [%rd6]; setp.ne.u64 %p2, %rd8, 0; @%p2 bra produce;
    add.u32 %r4, %r4, 1; cvt.u64.u32 %rd9, %r4; st.volatile.shared.u64 [%rd6], %rd9;
    setp.lt.u32 %p3, %r4, 50; @%p3 bra produce;
    bra over;
  consume:
    ld.volatile.shared.u64 %rd8, [%rd6]; setp.eq.u64 %p2, %rd8, 0; @%p2 bra consume;
    add.u64 %rd10, %rd10, %rd8; st.volatile.shared.u64 [%rd6], 0;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 50; @%p3 bra consume;
  over:
    st.global.u64 [%rd3], %rd10;)",
                            kNothing, 32, ".shared .align 8 .b8 box[128];");
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < 32; ++n) EXPECT_EQ(ran.out[n], n % 2 == 1 ? 50U * 51 / 2 : 0U);
}

TEST(PtxDivergence, LanesTakeALockInTurn) {
  const Ran ran = run_lines(R"(
  again:
    atom.global.cas.b64 %rd6, [%rd1+512], 0, 1;
    setp.ne.u64 %p1, %rd6, 0;
    @%p1 bra again;
    ld.volatile.global.u64 %rd7, [%rd1+520]; add.u64 %rd7, %rd7, 1; st.volatile.global.u64 [%rd1+520], %rd7;
    membar.gl;
    atom.global.exch.b64 %rd8, [%rd1+512], 0;)",
                            kNothing, 96);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  EXPECT_EQ(ran.out[65], 96U);
}

TEST(PtxDivergence, VoteBehindACallThatLanesMakeSeparately) {
  // The lower half waits until the upper half arrives in the function on another path.
  const std::string function = R"(
.func (.param .b32 ret) tally(.param .b32 mine) {
  .reg .pred %p<3>; .reg .b32 %r<5>;
  ld.param.b32 %r1, [mine];
  setp.ne.u32 %p1, %r1, 0;
  vote.sync.ballot.b32 %r2, %p1, -1;
  st.param.b32 [ret], %r2;
  ret;
})";
  const std::string call =
      "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 b; call.uni (b), tally, (a); "
      "ld.param.b32 %r4, [b]; }";
  const Ran ran = run_lines(R"(
    and.b32 %r3, %r1, 1; setp.lt.u32 %p1, %r1, 16;
    @%p1 bra low;
    )" + call + R"(
    bra over;
  low:
    )" + call + R"(
  over:
    cvt.u64.u32 %rd6, %r4; st.global.u64 [%rd3], %rd6;)",
                            kNothing, 32, function);
  // Two calls at two places. Each waits for all named lanes that will still come, wherever they
  // are.
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < 32; ++n) EXPECT_EQ(ran.out[n], 0xaaaaaaaaU);
}

// NCCL 2.25.1 counts on it: PAT reads in warp 4 what thread 0 has just written in a branch, with no
// barrier in between.
TEST(PtxDivergence, BranchesDoNotHoldAWarpBackBehindTheOthers) {
  const Ran ran = run_lines(R"(
    setp.ge.u32 %p1, %r1, 32;
    bar.sync 0;
    @%p1 bra other;
    and.b32 %r2, %r1, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra a;
    and.b32 %r2, %r1, 2; setp.ne.u32 %p2, %r2, 0; @%p2 bra b;
    and.b32 %r2, %r1, 4; setp.ne.u32 %p2, %r2, 0; @%p2 bra c;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra d;
    st.global.u32 [word], 1;
  d:mov.u32 %r2, 0;
  c:mov.u32 %r2, 0;
  b:mov.u32 %r2, 0;
  a:
    bra over;
  other:
    mov.u32 %r3, 0;
  loop:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 1000;
    @%p3 bra loop;
    ld.global.u32 %r4, [word]; cvt.u64.u32 %rd6, %r4; st.global.u64 [%rd3], %rd6;
  over:)",
                            kNothing, 64, ".global .align 4 .u32 word;");
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 32; n < 64; ++n) EXPECT_EQ(ran.out[n], 1U);
}

TEST(PtxDivergence, EarlyReturnsAndExits) {
  const Ran ran = run_lines(R"(
    setp.lt.u32 %p1, %r1, 8;
    @%p1 ret;
    setp.ge.u32 %p2, %r1, 24;
    @%p2 exit;
    vote.sync.ballot.b32 %r2, %p1, -1;
    bar.sync 0;
    activemask.b32 %r2;
    cvt.u64.u32 %rd6, %r2; st.global.u64 [%rd3], %rd6;)",
                            kNothing);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < 32; ++n) EXPECT_EQ(ran.out[n], n >= 8 && n < 24 ? 0x00ffff00U : 0U);
}

TEST(PtxDivergence, BranchByTable) {
  const Ran ran = run_lines(R"(
    and.b32 %r2, %r1, 3;
    table: .branchtargets a, b, c, b;
    brx.idx %r2, table;
  a: mov.u64 %rd6, 10; bra over;
  b: mov.u64 %rd6, 20; bra over;
  c: mov.u64 %rd6, 30;
  over:
    activemask.b32 %r3; cvt.u64.u32 %rd7, %r3; shl.b64 %rd7, %rd7, 32; or.b64 %rd6, %rd6, %rd7;
    st.global.u64 [%rd3], %rd6;)",
                            kNothing);
  const std::uint64_t expected[] = {10, 20, 30, 20};
  for (std::size_t n = 0; n < 32; ++n) EXPECT_EQ(ran.out[n], 0xffffffffULL << 32 | expected[n % 4]);
}

TEST(PtxDivergence, LanesCallDifferentFunctionsThroughATable) {
  const Ran ran = run_lines(R"(
    and.b32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 8; mov.u64 %rd7, table; add.u64 %rd6, %rd6, %rd7;
    ld.global.u64 %rd8, [%rd6];
    { .param .b64 a; st.param.b64 [a], %rd5; .param .b64 b;
      proto: .callprototype (.param .b64 _) _ (.param .b64 _);
      call (b), %rd8, (a), proto; ld.param.b64 %rd9, [b]; }
    activemask.b32 %r3; cvt.u64.u32 %rd10, %r3; shl.b64 %rd10, %rd10, 32; or.b64 %rd9, %rd9, %rd10;
    st.global.u64 [%rd3], %rd9;)",
                            kNothing, 32, R"(
.func (.param .b64 r) up(.param .b64 x) { .reg .b64 %rd<3>; ld.param.b64 %rd1, [x]; add.u64 %rd1, %rd1, 1; st.param.b64 [r], %rd1; ret; }
.func (.param .b64 r) twice(.param .b64 x) { .reg .b64 %rd<3>; ld.param.b64 %rd1, [x]; shl.b64 %rd1, %rd1, 1; st.param.b64 [r], %rd1; ret; }
.global .align 8 .u64 table[2] = {up, twice};)");
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::uint64_t n = 0; n < 32; ++n)
    EXPECT_EQ(ran.out[n], 0xffffffffULL << 32 | (n % 2 == 0 ? 8 * n + 1 : 16 * n));
}

TEST(PtxDivergence, TwoWarpsShakeHandsOverSharedMemory) {
  const Ran ran = run_lines(R"(
    mov.u32 %r2, 0; and.b32 %r3, %r1, 31; setp.ne.u32 %p1, %r3, 0; shr.u32 %r4, %r1, 5;
    @%p1 bra over;
    st.volatile.shared.u32 [ball], 0;
    bar.sync 1, 64;
  play:
    ld.acquire.cta.shared.u32 %r5, [ball]; and.b32 %r6, %r5, 1; setp.ne.u32 %p2, %r6, %r4; @%p2 bra play;
    add.u32 %r5, %r5, 1; st.release.cta.shared.u32 [ball], %r5;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 100; @%p3 bra play;
    bra done;
  over:
    bar.sync 1, 64;
  done:
    cvt.u64.u32 %rd6, %r2; st.global.u64 [%rd3], %rd6;)",
                            kNothing, 64, ".shared .align 4 .b32 ball;");
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  EXPECT_EQ(ran.out[0], 100U);
  EXPECT_EQ(ran.out[32], 100U);
}

TEST(PtxDivergence, BarriersByNumberAndCount) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, three times; then all at 0 with a
  // count of threads whose number is odd.
  const Ran ran = run_lines(R"(
    shr.u32 %r2, %r1, 6; add.u32 %r2, %r2, 1; mov.u32 %r3, 0;
    mov.u64 %rd7, sums;
  loop:
    red.shared.add.u32 [%rd7], 1;
    barrier.sync %r2, 64;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra loop;
    and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 1;
    barrier.red.popc.aligned.u32 %r5, 0, %p2;
    barrier.red.or.aligned.pred %p3, 0, !%p2;
    barrier.red.and.pred %p4, 0, 128, %p2;
    selp.u64 %rd8, 1, 0, %p3; selp.u64 %rd9, 2, 0, %p4; add.u64 %rd8, %rd8, %rd9; shl.b64 %rd8, %rd8, 32;
    ld.shared.u32 %r6, [sums]; mul.lo.u32 %r6, %r6, 1000; add.u32 %r6, %r6, %r5; cvt.u64.u32 %rd6, %r6;
    or.b64 %rd6, %rd6, %rd8; st.global.u64 [%rd3], %rd6;)",
                            std::vector<std::uint64_t>(128), 128, ".shared .align 4 .b32 sums;");
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < 128; ++n) EXPECT_EQ(ran.out[n] & 0xffffffff, (3 * 128) * 1000 + 64U);
  EXPECT_EQ(ran.out[0] >> 32, 1U);
}

TEST(PtxDivergence, ShufflesMatchesAndReductions) {
  const Ran ran = run_lines(R"(
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    shfl.sync.up.b32 %r3|%p1, %r1, 3, 0, -1;
    shfl.sync.down.b32 %r4|%p2, %r1, 5, 31, -1;
    shfl.sync.idx.b32 %r5, %r1, 2, 0x181f, -1;
    and.b32 %r6, %r1, 3; match.any.sync.b32 %r7, %r6, -1;
    match.all.sync.b32 %r8|%p3, %r6, -1;
    redux.sync.add.u32 %r9, %r1, -1;
    cvt.u64.u32 %rd6, %r2; cvt.u64.u32 %rd7, %r3; shl.b64 %rd7, %rd7, 8; or.b64 %rd6, %rd6, %rd7;
    cvt.u64.u32 %rd7, %r4; shl.b64 %rd7, %rd7, 16; or.b64 %rd6, %rd6, %rd7;
    cvt.u64.u32 %rd7, %r5; shl.b64 %rd7, %rd7, 24; or.b64 %rd6, %rd6, %rd7;
    selp.u64 %rd7, 1, 0, %p1; shl.b64 %rd7, %rd7, 32; or.b64 %rd6, %rd6, %rd7;
    selp.u64 %rd7, 1, 0, %p2; shl.b64 %rd7, %rd7, 33; or.b64 %rd6, %rd6, %rd7;
    cvt.u64.u32 %rd7, %r9; shl.b64 %rd7, %rd7, 40; or.b64 %rd6, %rd6, %rd7;
    popc.b32 %r7, %r7; cvt.u64.u32 %rd7, %r7; shl.b64 %rd7, %rd7, 56; or.b64 %rd6, %rd6, %rd7;
    cvt.u64.u32 %rd7, %r8; add.u64 %rd6, %rd6, %rd7;
    st.global.u64 [%rd3], %rd6;)",
                            kNothing);
  for (std::uint64_t n = 0; n < 32; ++n) {
    const std::uint64_t up = n >= 3 ? n - 3 : n, down = n + 5 <= 31 ? n + 5 : n;
    const std::uint64_t expected = (n ^ 1) | up << 8 | down << 16 | ((n & 24) + 2) << 24 |
                                   std::uint64_t{n >= 3} << 32 | std::uint64_t{n <= 26} << 33 |
                                   496ULL << 40 | 8ULL << 56;
    EXPECT_EQ(ran.out[n], expected) << n;
  }
}

TEST(PtxDivergence, BlocksOfAGridWaitForEachOther) {
  Launch launch;
  launch.grid[0] = 8;
  launch.block[0] = 32;
  const Ran ran = run_text(kernel_of(R"(
    setp.ne.u32 %p1, %r1, 0; @%p1 bra over;
    atom.global.add.u64 %rd6, [%rd1], 1;
  wait:
    ld.acquire.gpu.global.u64 %rd6, [%rd1]; setp.lt.u64 %p2, %rd6, 8; @%p2 bra wait;
  over:)"),
                           kNothing, 64, launch);
  EXPECT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
}

}  // namespace
}  // namespace sim::ptx
