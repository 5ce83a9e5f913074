// A launch that lasts waits for the device, or for another thread if it sleeps in code of the
// program.
#include <gtest/gtest.h>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

// Rank 0 launches a kernel behind an all-reduce that rank 1, which has ended, never joins. Its
// thread sleeps in the launch, until `wakers` do something; {}: it is awake.
World launches_asleep(std::vector<record::ProcessKey> wakers) {
  World world(2);
  world[0].box.key = key(0);
  world[0].box.pid = 100;
  world[0].all_reduce("x").call_on_device(Call::kernel_launch);
  if (!wakers.empty()) world[0].box.threads[0].in_launch = sleeps(std::move(wakers));
  world[1].exit(0);
  world.parameters.now_ns = world[0].box.threads[0].since_ns + 2 * world.parameters.may_wait_ns;
  return world;
}

// A thread of rank 0 that has made no recorded call.
World beside_another(record::Sleep others) {
  World world = launches_asleep({key(0)});
  add_other(world, 0, key(0), std::move(others));
  return world;
}

TEST(Launches, ThatAreAwakeWaitForTheDevice) {
  const Verdict verdict = launches_asleep({}).verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.assumptions.size(), 1U);
}

TEST(Launches, ThatSleepWhereNobodyCanWakeThemWaitForTheDevice) {
  EXPECT_EQ(launches_asleep({key(0)}).verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(beside_another(sleeps({key(0)})).verdict().outcome, Outcome::deadlock);
}

TEST(Launches, ThatSleepMayWaitForAnotherThread) {
  EXPECT_EQ(beside_another({}).verdict().outcome, Outcome::running);
}

TEST(Launches, ThatSleepMayWaitForAHelper) {
  World world = launches_asleep({kHelper});
  EXPECT_EQ(world.verdict().outcome, Outcome::running) << "nobody has looked at it";
  add_other(world, 0, kHelper, {});
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
  world[0].box.others.back().sleep = sleeps({key(0)});
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
}

TEST(Launches, MayReturnUnderStrictButWaitInAStall) {
  World world = launches_asleep({});
  world.parameters.strict = true;
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict stall = world.stall();
  EXPECT_EQ(to_string(stall.cause), to_string(Cause::rank_exited));
  EXPECT_EQ(stall.culprits, std::vector<int>{1});
}

}  // namespace
}  // namespace gridlock::detect::states
