// Silence without a proof: the ranks in host code for which the others wait, and what the kernel
// says.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

TEST(Stall, NamesTheRankInHostCode) {
  World world(4);
  for (Rank* rank : world.some(0, 2)) rank->all_reduce("gradients").device_synchronize();
  world[3].blocked_in("read(4)");
  world[3].box.threads[0].wait_channel = "pipe_read";
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.outcome, Outcome::stall);
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{3});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "has its main thread asleep in read(4) (kernel: pipe_read), outside any recorded call");
}

TEST(Stall, FollowsTheWaitsToTheirEnd) {
  World world = neighbours();
  world[0].in("left").all_reduce("left").device_synchronize();
  world[1].in("right").all_reduce("right").device_synchronize();
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
}

TEST(Stall, SynchronizeBeforeASignal) {  // rank 1 would call when rank 0 signals it over a socket
  World world(2);
  world[0].all_reduce("x").device_synchronize();
  world[1].blocked_in("recvfrom(3)");
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
  EXPECT_NE(explanation(verdict).find("recvfrom(3)"), std::string::npos);
}

// Two threads of each rank wait: one in the collective that the other rank's first thread never
// makes, and the first one for the second, as in a join. Rank 0's first thread may wake by itself.
TEST(Stall, WhoWaitsForItsOwnThreadIsNotToBlame) {
  World world = two_communicators(2);
  for (Rank& rank : world.ranks()) {
    const record::ProcessKey own = record::process_key(0, 100 + rank.box.rank);
    rank.box.key = own;
    const bool first = rank.box.rank == 0;
    rank.thread(rank.add_thread()).in(first ? "first" : "second").all_reduce("x");
    rank.stream_synchronize();
    rank.box.threads[0].sleep = {.asleep = !first, .wakers = {own}, .far_ends = {}, .on = ""};
  }
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::host_stuck));
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  world[1].box.others.push_back({.tid = 1, .process = world[1].box.key, .sleep = {}});
  EXPECT_EQ(world.stall().culprits, (std::vector<int>{0, 1})) << "a thread of rank 1 runs too";
}

// Nobody has asked whether NCCL has launched it, so no stream shows it.
TEST(Stall, WhatNcclLaunchesByItselfIsOnItsStream) {
  World world = two_communicators(2);
  world[0].in("first").all_reduce("x").stream_synchronize();
  world[1].in("second").all_reduce("y").nccl_will_launch().stream_synchronize();
  EXPECT_NE(to_string(world.verdict().outcome), to_string(Outcome::deadlock));
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::cycle));
  ASSERT_EQ(verdict.waiting.size(), 2U);
  EXPECT_EQ(verdict.waiting[1].ranks, std::vector<int>{1});
}

TEST(Stall, PollingRanksBehindAnExit) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x");  // and poll the stream
  world[2].exit(1);
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.outcome, Outcome::stall);
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
}

TEST(Stall, PollingRanksInACycle) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.join("first", rank.box.rank, 2).join("second", rank.box.rank, 2);
    const bool first = rank.box.rank == 0;
    rank.in(first ? "first" : "second").all_reduce("a");
    rank.in(first ? "second" : "first").all_reduce("b");
  }
  EXPECT_EQ(world.stall().cause, Cause::cycle);
}

TEST(Stall, NobodyWaits) {
  World world(2);
  world[1].device_synchronize();  // nothing pending: about to return
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
}

// MPI lets ranks pass on what the root sends. Rank 3 waits for it in vain, because rank 2 leaves
// the broadcast out: which ranks pass it on is not known, so nothing is proven.
TEST(Stall, WhoLeavesOutABroadcastIsToBlame) {
  World world = with_mpi(4);
  for (Rank* rank : world.some(0, 1)) {
    rank->mpi_done(rank->mpi_start(Call::mpi_bcast, "id", 0));
    rank->all_reduce("sum").stream_synchronize();
  }
  world[2].all_reduce("sum").stream_synchronize();
  world[3].mpi(Call::mpi_bcast, "id", 0);
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::missing_rank));
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  EXPECT_EQ(verdict.waiting.size(), 2U);
}

TEST(Stall, HostFunctionHoldsItsStream) {
  World world(2);
  world[0].all_reduce("x").device_synchronize();
  world[1].host_function("log").all_reduce("x").device_synchronize();
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.outcome, Outcome::stall);
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
  ASSERT_EQ(verdict.waiting.size(), 2U);
  EXPECT_EQ(verdict.waiting[0].ranks, std::vector<int>{0});
  EXPECT_EQ(verdict.waiting[1].ranks, std::vector<int>{1});
  EXPECT_EQ(verdict.waiting[1].operation, Call::host_function);
  EXPECT_EQ(verdict.waiting[1].label, "log");
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "has a stream in host_function \"log\", which has not returned");
}

TEST(Stall, UnrecordedWorkInFrontOfACollective) {
  World world(3);
  for (Rank& rank : world.ranks()) rank.all_reduce("x").stream_synchronize();
  world[2].not_started();
  ASSERT_EQ(world.verdict().outcome, Outcome::running) << "the work may end";
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::device_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "has not come to all_reduce #0 \"x\" on world: before it is work that is not recorded "
            "(a kernel, a copy) and does not end");
}

TEST(Stall, AHostWaitsForUnrecordedWork) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
  world[2].stream_synchronize();  // nothing that is recorded is pending
  ASSERT_EQ(world.verdict().outcome, Outcome::running) << "the call may be about to return";
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::device_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "waits in stream_synchronize, behind work that is not recorded (a kernel, a copy) and "
            "does not end");
}

TEST(Stall, ARankInHostCodeComesBeforeADevice) {
  World world(4);
  for (Rank* rank : world.some(0, 2)) rank->all_reduce("x").stream_synchronize();
  world[2].not_started();  // perhaps it waits for its host, as many kernels do
  world[3].blocked_in("read(4)");
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{3});
}

TEST(Stall, APolledStreamMayBePastWhatItShows) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.all_reduce("x").stream_synchronize();
  world[1].not_started().polled();
  EXPECT_NE(world.stall().cause, Cause::device_stuck);
}

TEST(Strict, OtherThreadsAreAnAssumption) {
  World world(2);
  world[0].all_reduce("x").device_synchronize();
  world[0].box.other_threads = 2;
  world[1].exit(0);
  EXPECT_EQ(world.verdict().assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_TRUE(world.finding().dead.empty());
}

TEST(Gone, WhatItHadUnderWayIsAnAssumption) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.all_reduce("x").device_synchronize();
  world[1].killed(9);
  ASSERT_EQ(world.verdict().assumptions.size(), 1U);
  EXPECT_NE(text_of(world.verdict().assumptions[0]).find("under way"), std::string::npos);
}

// Rank 1 is gone, and rank 0 is in a call that may wait for it.
// shared_connections over sockets: rank 2 was done, and ended while its host had yet to send.
TEST(Stall, BlamesWhoMayHaveTakenDataWithIt) {
  World world(3);
  for (Rank& rank : world.ranks()) {
    rank.box.backend = "simnccl";
    rank.all_reduce("x");
  }
  for (Rank* rank : world.some(0, 1)) rank->stream_synchronize();
  world[2].all_done().exit(0);
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_NE(explanation(verdict).find("without destroying its communicator"), std::string::npos);
}

TEST(Stall, BlamesNobodyWhoHasClosedItOrUsesOurOwnNccl) {
  for (const bool own : {false, true}) {
    World world(3);
    for (Rank& rank : world.ranks()) {
      if (!own) rank.box.backend = "simnccl";
      rank.all_reduce("x");
    }
    for (Rank* rank : world.some(0, 1)) rank->stream_synchronize();
    world[2].all_done();
    if (!own) world[2].box.communicators[0].state = record::CommunicatorState::closed;
    world[2].exit(0);
    EXPECT_EQ(world.stall().cause, Cause::none);
  }
}

TEST(Stall, BlamesTheHostAndNotWhoMayHaveTakenDataWithIt) {
  World world(3);
  for (Rank& rank : world.ranks()) rank.box.backend = "simnccl";
  world[0].broadcast("x", 1).blocked_in("read(4)");
  world[1].broadcast("x", 1).all_done().exit(0);
  world[2].broadcast("x", 1).stream_synchronize();
  EXPECT_NE(world.stall().culprits, std::vector<int>{1});
}

struct MayWaitCase {
  const char* name;
  const char* backend;
  void (*call)(Rank& rank);
  bool at_once;  // it counts as waiting from its first moment
  bool ever;     // and once it has lasted longer than the bound
};

void free_behind_all_reduce(Rank& rank) { rank.all_reduce("x").call_on_device(Call::device_free); }
void launch_behind_all_reduce(Rank& rank) {
  rank.all_reduce("x").call_on_device(Call::kernel_launch);
}
// As NCCL's first broadcast did on an H100.
void broadcast_beside_all_reduce(Rank& rank) {
  rank.all_reduce("x").on(rank.add_stream()).broadcast("y").announce_only();
  rank.call_on_device(Call::broadcast);
}
void group_beside_all_reduce(Rank& rank) {
  rank.all_reduce("x").on(rank.add_stream()).group_begin().broadcast("y").announce_only();
  rank.call_on_device(Call::group_end);
}
void destroy(Rank& rank) { rank.communicator_call(Call::comm_destroy); }
void finalize(Rank& rank) { rank.communicator_call(Call::comm_finalize); }
// As ncclGroupStart, ncclCommFinalize, ncclGroupEnd.
void finalize_in_group(Rank& rank) {
  finalize(rank);
  rank.box.threads[0].call = Call::group_end;
}
void first_of_its_kind(Rank& rank) { rank.reduce("loss", 1).not_started().connect(); }

constexpr MayWaitCase kMayWait[] = {
    {"a_free_on_a_gpu", "cuda", free_behind_all_reduce, false, true},
    // The CUDA calls are the simulation's, so it is known where they wait.
    {"a_simulated_free", "simnccl", free_behind_all_reduce, true, true},
    // Only the first launch of a kernel may wait.
    {"a_launch_on_a_gpu", "cuda", launch_behind_all_reduce, false, true},
    {"a_simulated_launch", "sim", launch_behind_all_reduce, false, true},
    {"a_launch_of_nccls", "cuda", broadcast_beside_all_reduce, false, true},
    {"a_grouped_launch_of_nccls", "cuda", group_beside_all_reduce, false, true},
    // NCCL may already have made the connections, and then the call returns.
    {"connecting_on_a_gpu", "cuda", first_of_its_kind, false, true},
    {"connecting_on_simulated_cuda", "simnccl", first_of_its_kind, false, true},
    // Only ranks of the node that use this rank's proxy are waited for, and that cannot be seen.
    {"a_destroy_of_nccl", "simnccl", destroy, false, true},
    // destroy_order/finalized_first was called a deadlock, while two ranks were inside finalize.
    {"a_finalize_of_nccl", "simnccl", finalize, false, false},
    {"a_grouped_finalize_of_nccl", "simnccl", finalize_in_group, false, false},
};

class MayWait : public testing::TestWithParam<MayWaitCase> {};

TEST_P(MayWait, CountsAfterTheBound) {
  World world(2);
  GetParam().call(world[0]);
  for (Rank& rank : world.ranks()) rank.box.backend = GetParam().backend;
  world[1].exit(0);
  world.parameters.may_wait_ns = 1000;
  world.parameters.now_ns = world[0].box.threads[0].since_ns + 10;
  EXPECT_EQ(world.finding().proven, GetParam().at_once);
  world.parameters.now_ns += 1000;
  EXPECT_EQ(world.finding().proven, GetParam().ever);
  if (GetParam().ever && !GetParam().at_once) {
    EXPECT_EQ(world.verdict().assumptions.size(), 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, MayWait, testing::ValuesIn(kMayWait),
                         [](const auto& tested) { return std::string(tested.param.name); });

// The others wait for ever, because this rank leaves. It does not wait for them, so its next call
// must be seen before any rank is blamed.
}  // namespace
}  // namespace gridlock::detect::states
