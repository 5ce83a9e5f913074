// If a program contains the CUDA runtime, nothing is known about its streams. A wait for a stream
// is then never proven, but a wait inside NCCL alone is.
#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

World unseen(World world) {
  for (Rank& rank : world.ranks()) rank.box.cuda_unseen = true;
  return world;
}

// Rank 0 closes the communicator after a call that the others have left out.
World closed_too_early() {
  World world(3);
  world[0].all_reduce("x").communicator_call(Call::comm_destroy);
  for (Rank* rank : world.some(1, 2)) rank->communicator_call(Call::comm_destroy);
  return world;
}

TEST(UnseenCuda, AStreamMayBePastAllThatItShows) {
  EXPECT_EQ(closed_too_early().verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(unseen(closed_too_early()).verdict().outcome, Outcome::running);
}

TEST(UnseenCuda, AnInitialisationNeedsNoStream) {
  World world = unseen(World(3));
  for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_init);
  world[2].leave_world().exit(0);
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::init));
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
}

World left_alone() {
  World world(2);
  world[0].all_reduce("x");
  world[1].exit(0);
  return unseen(std::move(world));
}

TEST(UnseenCuda, AStallShowsWhereTheStreamsAre) {
  const Verdict verdict = left_alone().stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::rank_exited));
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].label, "x");
}

// Without the runtime, the recorder cannot see operations end, so the first of all operations would
// be shown as the one in flight.
TEST(UnseenCuda, AStallShowsNoStreamWhoseEndsNobodySees) {
  World world = left_alone();
  world[0].polled();
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::host_stuck));
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  EXPECT_TRUE(verdict.waiting.empty());
}

}  // namespace
}  // namespace gridlock::detect::states
