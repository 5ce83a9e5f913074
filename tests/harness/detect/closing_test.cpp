// Calls that end a communicator.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

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

// Rank 0 destroys as well, but never gets past its own receive, so rank 1 waits for it.
TEST(Closing, ComesAfterTheOwnWorkInTheSimulation) {
  World world(2);
  world[0].recv(1);
  for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_destroy);
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1}));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
  ASSERT_EQ(verdict.waiting.size(), 2U);
  EXPECT_EQ(verdict.waiting[1].ranks, (std::vector<int>{0, 1}));
}

// Rank 0 has revoked the communicator, would destroy it later, and waits for rank 1 before.
TEST(Closing, WaitsForWhoHasOnlyRevokedInTheSimulation) {
  World world = two_communicators(2);
  world[0].in("second").box.communicators.back().state = record::CommunicatorState::aborted;
  world[0].in("first").all_reduce("x").stream_synchronize();
  world[1].in("second").communicator_call(Call::comm_destroy);
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1}));
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.faults.size(), 2U);
  EXPECT_NE(text_of(verdict.faults[0].what).find("has not called comm_destroy on second"),
            std::string::npos)
      << text_of(verdict.faults[0].what);
  world[0].returned();
  EXPECT_TRUE(world.finding().dead.empty()) << "it may destroy it now";
}

// Of the calls of a group, only the first is recorded.
TEST(Closing, OfSeveralInAGroupMayStayInside) {
  World world = two_communicators(2);
  world[0].in("first").communicator_call(Call::comm_destroy);
  world[0].box.threads[0].call = Call::group_end;
  world[1].in("first").communicator_call(Call::comm_destroy).returned();
  world[1].box.communicators[1].state = record::CommunicatorState::closed;
  world[1].in("world").all_reduce("x").stream_synchronize();
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  ASSERT_EQ(verdict.waiting.size(), 2U);
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_NE(text_of(verdict.faults[0].what).find("another one has not ended"), std::string::npos);
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

// pytorch#115388: all ranks destroy their communicators before their graphs.
TEST(Closing, WaitsForTheRanksOwnGraphs) {
  for (const Call call : {Call::comm_abort, Call::comm_destroy, Call::comm_finalize}) {
    World world(2);
    for (Rank& rank : world.ranks()) {
      rank.communicator_call(call);
      rank.box.communicators[0].graphs = 3;
    }
    const Verdict verdict = world.verdict();
    EXPECT_EQ(verdict.outcome, Outcome::deadlock) << record::to_string(call);
    EXPECT_EQ(verdict.cause, Cause::self);
    EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
    ASSERT_EQ(verdict.faults.size(), 1U);
    const std::string what = text_of(verdict.faults[0].what, 2);
    EXPECT_NE(what.find("on world until the rank destroys 3 CUDA graphs with calls of it"),
              std::string::npos)
        << what;
    EXPECT_TRUE(verdict.assumptions.empty());
    for (Rank& rank : world.ranks()) rank.box.communicators[0].graphs = 0;
    EXPECT_EQ(world.verdict().outcome, Outcome::running);
  }
}

TEST(Closing, IsHeldByGraphsOnlyUntilAnotherThreadDestroysThem) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_destroy);
  world[0].box.communicators[0].graphs = 1;
  world[0].add_thread();
  EXPECT_EQ(world.finding().dead, std::vector<int>{});
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
}

// The other thread would destroy the graph, and waits for rank 1.
TEST(Closing, BlamesForTheGraphsWhomTheOtherThreadWaitsFor) {
  World world(2);
  world[0].join("second", 0, 2).in("second").communicator_call(Call::comm_destroy);
  world[0].box.communicators[1].graphs = 1;
  world[0].thread(world[0].add_thread());
  world[0].in("world").all_reduce("x").stream_synchronize();
  world[1].join("second", 1, 2).exit(0);
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
}

// Rank 1 has no graph, and waits for rank 0 in the same call.
TEST(Closing, OfOthersWaitsForAMemberWithGraphs) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_destroy);
  world[0].box.communicators[0].graphs = 1;
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1}));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::self);
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
}

// The last member of a process waits for all; the others return.
TEST(Closing, OfOneOfTwoMembersInAProcessDoesNotWait) {
  World world(1);
  world[0].join("pair", 0, 2).join("pair", 1, 2).in("pair").communicator_call(Call::comm_destroy);
  for (record::Communicator& member : world[0].box.communicators) member.graphs = 1;
  EXPECT_EQ(world.finding().dead, std::vector<int>{});
  world[0].box.communicators.back().state = record::CommunicatorState::closed;
  EXPECT_EQ(world.finding().dead, std::vector<int>{0});
}

}  // namespace
}  // namespace gridlock::detect::states
