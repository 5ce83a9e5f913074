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
  World world(3);
  for (Rank& rank : world.ranks()) {
    if (rank.box.rank < 2) rank.join("left", rank.box.rank, 2);
    if (rank.box.rank > 0) rank.join("right", rank.box.rank - 1, 2);
  }
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

World member_whose_init_has_failed() {
  World world(3);
  for (Rank& rank : world.ranks()) {
    rank.box.backend = "simnccl";
    rank.leave_world().join("new", rank.box.rank, 3, record::CommunicatorState::initialising);
    rank.communicator_call(Call::comm_init);
  }
  world[2].box.communicators.back().state = record::CommunicatorState::aborted;
  world[2].returned().exit(1);
  return world;
}

// Over some of its sockets NCCL tells the others of the failure.
TEST(Init, OfAMemberThatHasFailedIsAnAssumption) {
  World world = member_whose_init_has_failed();
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.cause, Cause::init);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what), "exited with code 1 after comm_init failed");
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  EXPECT_EQ(text_of(verdict.assumptions[0]),
            "NCCL does not tell ranks 0, 1, in a call that makes a communicator, that a member has "
            "ended");
  world.parameters.strict = true;
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  EXPECT_EQ(world.stall().culprits, std::vector<int>{2});
}

TEST(Init, OfAMemberThatHasFailedMayHaveBeenAnothersRank) {
  World world = member_whose_init_has_failed();
  world[1].box.communicators.back().rank = 0;
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(world.verdict().cause, Cause::init);
}

TEST(Init, OfAMemberThatHasFailedAndLivesMayBeRepeated) {
  World world = member_whose_init_has_failed();
  world[2].box.process = record::ProcessState::alive;
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
}

TEST(Init, OfAMemberThatDiesInsideIsAnAssumptionOnlyOnNccl) {
  for (const bool own : {true, false}) {
    World world(3);
    for (Rank& rank : world.ranks()) {
      rank.communicator_call(Call::comm_init);
      if (!own) rank.box.backend = "simnccl";
    }
    world[1].killed(9);
    EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
    EXPECT_EQ(world.verdict().assumptions.size(), own ? 0U : 1U);
    ASSERT_EQ(world.verdict().faults.size(), 1U);
    EXPECT_EQ(text_of(world.verdict().faults[0].what),
              "was killed by signal 9 (Killed) in comm_init");
    world.parameters.strict = true;
    EXPECT_EQ(world.verdict().outcome, own ? Outcome::deadlock : Outcome::running);
  }
}

TEST(Split, WithoutAMemberThatIsGoneIsAnAssumptionOnNccl) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_split);
  world[2].killed(9);
  for (Rank& rank : world.ranks()) rank.box.backend = "simnccl";
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(world.verdict().assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
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
TEST(Abort, InTheSimulationDoesNotWait) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
  world[2].communicator_call(Call::comm_abort);
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1}));
}

// early_destroy: whether the rank that closes will ever return is open, but it comes to no other
// place where the verdict would need it.
TEST(Closing, OfNcclIsSaid) {
  for (const record::Call call : {Call::comm_abort, Call::comm_destroy, Call::comm_finalize}) {
    World world(3);
    for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
    world[2].communicator_call(call);
    for (Rank& rank : world.ranks()) rank.box.backend = "simnccl";
    world.parameters.may_wait_ns = 1000;
    world.parameters.now_ns = world[2].box.threads[0].since_ns + 10;
    EXPECT_TRUE(world.finding().closing);
    world[2].box.threads[0].waits = record::Waits::nothing;  // it has returned
    EXPECT_FALSE(world.finding().closing);
  }
}

TEST(Closing, IsNotSaidOfOurOwnNcclOrOfOtherCalls) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
  world[2].communicator_call(Call::comm_abort);
  EXPECT_FALSE(world.finding().closing);
  World settled(2);
  settled[0].all_reduce("x").stream_synchronize();
  settled[1].exit(0);
  settled[0].box.backend = "simnccl";
  EXPECT_TRUE(settled.finding().settled);
  EXPECT_FALSE(settled.finding().closing);
}

TEST(Abort, OfNcclCountsAfterTheBound) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
  world[2].communicator_call(Call::comm_abort);
  for (Rank& rank : world.ranks()) rank.box.backend = "cuda";
  world.parameters.may_wait_ns = 1000;
  world.parameters.now_ns = world[2].box.threads[0].since_ns + 10;
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1}));
  world.parameters.now_ns += 1000;
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(world.verdict().assumptions.size(), 1U);
  EXPECT_NE(text_of(world.verdict().assumptions[0]).find("a call of rank 2"), std::string::npos);
}

// network_fault, before NCCL 2.26.2: nobody is missing, and the abort does not end.
TEST(Abort, ThatNothingVisibleHoldsIsNamedInAStall) {
  World world(2);
  world[0].communicator_call(Call::comm_abort);
  world[1].communicator_call(Call::comm_abort).returned().blocked_in("poll");
  for (Rank& rank : world.ranks()) rank.box.backend = "simnccl";
  world.parameters.may_wait_ns = 1000;
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "waits in comm_abort on world, though no member is missing: NCCL itself does not end "
            "it");
}

}  // namespace
}  // namespace gridlock::detect::states
