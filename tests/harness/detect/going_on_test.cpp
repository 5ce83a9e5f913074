// Stalls of a part of the job, while other ranks go on.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// The ranks that go on wait for each other too, for a moment.
TEST(GoingOn, RanksThatGoOnAreNotHeldUp) {
  World world(4);
  for (Rank& rank : world.ranks()) {
    rank.join(rank.box.rank < 2 ? "actors" : "learners", rank.box.rank % 2, 2);
  }
  world[0].in("actors").all_reduce("x").device_synchronize();
  world[1].blocked_in("recv(5)");
  world[2].in("learners").all_reduce("y").device_synchronize();
  for (Rank* rank : world.some(2, 3)) rank->box.goes_on_since_ns = 1;
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::host_stuck));
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, std::vector<int>{0});
}

// Its main thread trains on, but what it has put on a stream long ago waits for rank 2.
TEST(GoingOn, WhoGoesOnMayBeHeldUpOnAStream) {
  World world = neighbours();
  world[0].in("left").all_reduce("x").device_synchronize();
  world[1].in("right").all_reduce("y").in("left").all_reduce("x");
  for (Rank* rank : world.some(1, 2)) rank->box.goes_on_since_ns = 1'000'000;
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "goes on with other calls, and has not called all_reduce #0 \"y\" on right");
}

// Its service thread has waited for a task for as long as rank 0 waits for its main thread.
TEST(GoingOn, WhatAnotherThreadOfWhoGoesOnWaitsForHoldsNobody) {
  World world = neighbours();
  world[0].in("left").all_reduce("x").device_synchronize();
  world[1].in("right").recv(1).device_synchronize();
  for (Rank* rank : world.some(1, 2)) rank->box.goes_on_since_ns = 1'000'000;
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, std::vector<int>{0});
}

// Nobody else waits, so it is told after all.
TEST(GoingOn, WaitsBesideThatHoldNobodyAreToldIfAllGoOn) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.join("tasks", rank.box.rank, 2);
  world[1].in("tasks").recv(0).device_synchronize();
  for (Rank& rank : world.ranks()) rank.box.goes_on_since_ns = 1'000'000;
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  EXPECT_EQ(verdict.waiting.size(), 1U);
}

TEST(GoingOn, WhoGoesOnMayHaveLeftOutACall) {
  World world = two_communicators(3);
  for (Rank* rank : world.some(0, 1)) rank->in("first").all_reduce("x").device_synchronize();
  world[2].in("second").all_reduce("y").device_synchronize();
  world[2].box.goes_on_since_ns = 1;
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(text_of(verdict.faults[0].what),
            "goes on with other calls, and has not called all_reduce #0 \"x\" on first");
}

}  // namespace
}  // namespace gridlock::detect::states
