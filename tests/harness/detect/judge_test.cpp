// Two looks make a proof, one does not. A move between them undoes it.
#include "harness/detect/judge.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

World exited_peer() {
  World world(4);
  for (Rank* rank : world.some(0, 2)) rank->all_reduce("gradients/bucket 0").device_synchronize();
  world[3].exit(0);
  return world;
}

TEST(Judge, NeedsTwoEqualLooks) {
  World world = exited_peer();
  const auto shown = world.snapshots();
  Judge judge;
  const Finding first = judge.look(shown);
  EXPECT_FALSE(first.proven);
  EXPECT_TRUE(first.settled);
  EXPECT_EQ(first.dead, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(judge.look(shown).proven);
  const Verdict verdict = judge.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_EQ(verdict.culprits, std::vector<int>{3});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(verdict.waiting[0].label, "gradients/bucket 0");
  EXPECT_EQ(verdict.waiting[0].communicator, "world");
  EXPECT_EQ(verdict.waiting[0].callers.front().module, "/opt/train");
  EXPECT_TRUE(verdict.assumptions.empty());
}

// The recorder marks the beginning of an operation before NCCL accepts or refuses it.
TEST(Judge, WhoseLastCallWasRefusedHadNothingUnderWayWhenItEnded) {
  World world = exited_peer();
  world[3].box.process = record::ProcessState::alive;
  world[3].all_reduce("refused").announce_only().exit(0);
  const auto verdict_with = [&](std::uint8_t result) {
    std::vector<record::Snapshot> shown = world.snapshots();
    shown[3].streams[0].started = 1;
    shown[3].operations.back().result = result;
    Judge judge;
    judge.look(shown);
    EXPECT_TRUE(judge.look(shown).proven);
    return judge.verdict();
  };
  EXPECT_EQ(verdict_with(0).assumptions.size(), 1U);
  constexpr std::uint8_t kInvalidArgument = 4;
  EXPECT_TRUE(verdict_with(kInvalidArgument).assumptions.empty());
}

TEST(Judge, AnEpochThatMovesUndoesTheProof) {
  World world = exited_peer();
  Judge judge;
  judge.look(world.snapshots());
  world[1].box.threads[0].epoch += 2;  // it was back, and is in the same call again
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  EXPECT_TRUE(judge.look(world.snapshots()).proven);
}

// As the agent looks: first only at the boxes, then also at what the kernel says.
void add_other_threads(World& world, bool asleep, std::uint64_t switches = 3) {
  for (Rank* rank : world.some(0, 2)) {
    rank->box.key = record::process_key(0, 100 + rank->box.rank);
    rank->box.pid = 100 + rank->box.rank;
    rank->box.other_threads = 1;
    rank->box.others = {
        {.tid = 7,
         .process = rank->box.key,
         .sleep = {
             .asleep = asleep, .wakers = {}, .far_ends = {}, .switches = switches, .on = ""}}};
  }
}

// A handler may act after the boxes were read, and end before the kernel is asked about it.
TEST(Judge, TheBoxesAreReadAgainAfterTheKernelWasAsked) {
  World world = exited_peer();
  Judge judge;
  judge.look(world.snapshots());
  add_other_threads(world, false);
  auto shown = world.snapshots();
  EXPECT_FALSE(judge.look(shown).proven);
  EXPECT_TRUE(judge.look(shown).proven);
  EXPECT_EQ(judge.verdict().assumptions.size(), 1U);
}

// Without it, a proof would lack the assumptions that go with other threads.
TEST(Judge, ALookThatDoesNotAskTheKernelProvesNothingOnceItWasAsked) {
  World world = exited_peer();
  const auto boxes = world.snapshots();
  Judge judge;
  add_other_threads(world, false);
  judge.look(world.snapshots());
  EXPECT_FALSE(judge.look(boxes).proven);
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  EXPECT_TRUE(judge.look(world.snapshots()).proven);
}

TEST(Judge, SaysWhetherTheProofRestsOnTheKernelsWord) {
  World world = exited_peer();
  Judge judge;
  EXPECT_FALSE(judge.look(world.snapshots()).rests_on_kernel);
  add_other_threads(world, true);
  EXPECT_TRUE(judge.look(world.snapshots()).rests_on_kernel);
}

// The agent goes on asking the kernel about them until a polling round has come.
TEST(Judge, RanksWhoseStreamsNobodyHasPolledYetAreSuspects) {
  World world(2);
  world[0].polled().recv(1).device_synchronize();
  world[1].exit(0);
  Judge judge(world.parameters);
  judge.look(world.snapshots());
  const Finding found = judge.look(world.snapshots());
  EXPECT_EQ(found.dead, std::vector<int>());
  EXPECT_EQ(found.suspects, std::vector<int>{0});
}

TEST(Judge, ThatOtherThreadsSleepHasToBeSeenTwice) {
  World world = exited_peer();
  Judge judge;
  judge.look(world.snapshots());
  add_other_threads(world, true);
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  add_other_threads(world, true, 4);  // one of them was awake in between
  const Finding found = judge.look(world.snapshots());
  EXPECT_FALSE(found.proven);
  EXPECT_TRUE(found.unmoved);
  const auto shown = world.snapshots();
  EXPECT_TRUE(judge.look(shown).proven);
  EXPECT_TRUE(judge.verdict().assumptions.empty());
}

TEST(Judge, OneLookAtSavedBoxesAssumesThatTheyShowOneMoment) {
  World world = exited_peer();
  Judge judge(world.parameters);
  EXPECT_TRUE(judge.look_once(world.snapshots()).proven);
  const auto shown = world.snapshots();
  judge.look_once(shown);
  const Verdict verdict = judge.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  const auto& assumed = std::get<phrase::Assumes>(verdict.assumptions.front());
  EXPECT_EQ(assumed.what, phrase::Assumes::What::one_moment);
  EXPECT_EQ(assumed.ranks, (std::vector<int>{0, 1, 2}));
}

TEST(Judge, OneLookProvesNothingOfPolledStreams) {
  World world(2);
  world[0].polled().recv(1).device_synchronize();
  world[1].exit(0);
  Judge judge(world.parameters);
  EXPECT_FALSE(judge.look_once(world.snapshots()).proven);
}

// A send that is larger than the buffer, to a rank that is gone.
World too_large_to_send() {
  World world(2);
  world[0].count(kLarge).send(1, "activations").device_synchronize();
  world[1].exit(0);
  return world;
}

TEST(Judge, ASizeThatIsNotKnownIsAnAssumption) {
  World world = too_large_to_send();
  EXPECT_TRUE(world.verdict().assumptions.empty());
  world.parameters.buffer_bytes.reset();
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  const auto& assumed = std::get<phrase::Assumes>(verdict.assumptions.front());
  EXPECT_EQ(assumed.what, phrase::Assumes::What::buffers);
  EXPECT_EQ(assumed.ranks, std::vector<int>{0});
}

TEST(Judge, TheBufferOfNcclIsNeverKnown) {
  World world = too_large_to_send();
  for (Rank& rank : world.ranks()) rank.box.backend = "cuda";
  EXPECT_EQ(world.verdict().assumptions.size(), 1U);
}

TEST(Judge, WhatWaitsForNoRoomAssumesNothingOfBuffers) {
  World world = exited_peer();
  world.parameters.buffer_bytes.reset();
  EXPECT_TRUE(world.verdict().assumptions.empty());
}

}  // namespace
}  // namespace gridlock::detect::states
