// Communicators that are made while a member is gone or has failed.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

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

}  // namespace
}  // namespace gridlock::detect::states
