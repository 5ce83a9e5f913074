// What explains a stall on streams that do not show when the device comes to an operation.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// Ranks 0 and 1 wait for a communicator to form that rank 2 has aborted. Rank 2 waits for them.
World aborted_while_it_formed(bool legacy, bool non_blocking = false) {
  World world(3);
  for (Rank& rank : world.ranks()) {
    rank.join("second", rank.box.rank, 3, record::CommunicatorState::initialising);
  }
  for (Rank* rank : world.some(0, 1)) rank->in("second").communicator_call(Call::comm_init);
  record::Communicator& aborted = world[2].box.communicators.back();
  aborted.state = record::CommunicatorState::aborted;
  aborted.last_call = Call::comm_abort;
  const std::uint32_t beside = world[2].add_stream(false, true);
  const std::uint32_t stream = legacy ? beside : world[2].add_stream(non_blocking);
  world[2].on(stream).in("world").all_reduce("x").not_started().device_synchronize();
  return world;
}

TEST(StallOnALegacyStream, IsNotBlamedOnWorkThatNothingShows) {
  for (const bool legacy : {true, false}) {
    const Verdict verdict = aborted_while_it_formed(legacy).stall();
    EXPECT_EQ(verdict.cause, Cause::init);
    EXPECT_EQ(verdict.culprits, std::vector<int>{2});
    ASSERT_EQ(verdict.faults.size(), 1U);
    EXPECT_EQ(text_of(verdict.faults[0].what),
              "has aborted the communicator that the others wait to form");
  }
}

TEST(StallOnALegacyStream, IsBlamedOnWorkInFrontWhereTheStreamWouldShowItsEnd) {
  const Verdict verdict = aborted_while_it_formed(false, true).stall();
  EXPECT_EQ(verdict.cause, Cause::device_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
}

TEST(StallOnALegacyStream, IsBlamedOnUnrecordedWorkIfAllHaveCome) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.on(rank.add_stream(false, true)).all_reduce("x").not_started().device_synchronize();
  }
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::device_stuck);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
}

TEST(StallOnALegacyStream, IsBlamedOnWhoHasNotCome) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) {
    rank->on(rank->add_stream(false, true)).all_reduce("x").not_started().device_synchronize();
  }
  world[2].blocked_in("read(4)");
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector<int>{0, 1}));
}

// A refused init that the rank has not repeated.
TEST(StallOnALegacyStream, SaysWhereARankWaitsWhoseInitWasRefused) {
  World world = aborted_while_it_formed(true);
  world[2].box.communicators.back().last_call = Call::comm_init;
  const Verdict verdict = world.stall();
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_NE(text_of(verdict.faults[0].what).find("waits in all_reduce #0 \"x\" on world"),
            std::string::npos)
      << text_of(verdict.faults[0].what);
}

}  // namespace
}  // namespace gridlock::detect::states
