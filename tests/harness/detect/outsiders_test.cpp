// Processes that are no ranks: those that Gridlock did not start, and a launcher.
#include <gtest/gtest.h>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

constexpr record::ProcessKey kLauncher = record::process_key(0, 1);

TEST(Outsiders, MayJoinACommunicatorOfMoreThanTheRanks) {
  World world(1);
  world[0].join("pair", 0, 2, record::CommunicatorState::initialising);
  world[0].in("pair").communicator_call(Call::comm_init);
  EXPECT_TRUE(world.verdict().assumptions.empty());
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  world.parameters.outsiders = true;
  EXPECT_EQ(world.verdict().assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
}

TEST(Outsiders, AHelperMayJoinWhileItCanAct) {
  constexpr record::ProcessKey kHelper = record::process_key(0, 7);
  World world(1);
  world[0].box.key = key(0);
  world[0].join("pair", 0, 2, record::CommunicatorState::initialising);
  world[0].in("pair").communicator_call(Call::comm_init);
  world.parameters.outsiders = true;
  add_other(world, 0, kHelper, {});
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
  world[0].box.others[0].sleep = sleeps({key(0)});
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
}

TEST(Outsiders, AHelperMayBeTheMissingRank) {
  constexpr record::ProcessKey kHelper = record::process_key(0, 7);
  World world(2);
  for (int rank = 0; rank < 2; ++rank) {
    const std::string name = rank == 0 ? "trainers" : "servers";
    world[rank].box.key = key(rank);
    world[rank].join(name, rank, 2, record::CommunicatorState::initialising);
    world[rank].in(name).communicator_call(Call::comm_init);
  }
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  add_other(world, 0, kHelper, {});
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
  world[0].box.others[0].may_join = false;
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock) << "a launcher, or it cannot load NCCL";
  world[0].box.others[0].may_join = true;
  world[0].box.others[0].sleep = sleeps({key(0)});
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
}

World lost_under_a_launcher() {
  World world(2);
  world[0].box.key = key(0);
  world[0].all_reduce("gradients").device_synchronize();
  world[1].exit(1);
  world[1].box.launcher = kLauncher;
  world[1].box.gone_ns = 1000;
  world.parameters.now_ns = 2000;
  world.parameters.restart_ns = 5000;
  return world;
}

TEST(Launcher, MayStartAllAnewWhileItCanAct) {
  World world = lost_under_a_launcher();
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock) << "nobody looked at it";
  add_other(world, 0, kLauncher, {});
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
  world.parameters.now_ns = 7000;
  const Verdict late = world.verdict();
  EXPECT_EQ(late.outcome, Outcome::deadlock);
  EXPECT_EQ(late.assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
}

TEST(Launcher, ThatWaitsForItsRanksStartsNothing) {
  World world = lost_under_a_launcher();
  add_other(world, 0, kLauncher, sleeps({key(0)}));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_TRUE(verdict.assumptions.empty());
}

// mpiexec has ended, and its proxy is about to end the ranks, or the shell of the lost rank is.
TEST(Launcher, MayLeaveAnotherOneThatEndsTheOthers) {
  for (const bool is_above_none : {false, true}) {
    World world = lost_under_a_launcher();
    world[1].box.launcher = record::anybody_at(kLauncher);
    EXPECT_EQ(world.verdict().outcome, Outcome::deadlock) << "nobody is left";
    add_other(world, 0, kLauncher, {});
    world[0].box.others[0].of_rank = is_above_none;
    EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
    world[0].box.others[0].sleep = sleeps({key(0)});
    EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  }
}

}  // namespace
}  // namespace gridlock::detect::states
