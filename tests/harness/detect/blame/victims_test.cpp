// Two ranks are missing at one call each, where all others have come. The others show which call
// comes first in the program.
#include "harness/detect/blame/victims.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect {
namespace {

using states::Rank;
using states::World;

Rank& first_reduce(Rank& rank) { return rank.in("first").reduce("loss").done(1); }
Rank& then_all_reduce(Rank& rank) {
  return rank.on(rank.add_stream()).in("second").all_reduce("sum");
}

// Only the receiver of a reduction, rank 0, waits in it. Rank 1 is in the all-reduce, and has not
// called the reduction.
World one_in_each() {
  World world = states::two_communicators(4);
  world[0].in("first").reduce("loss").stream_synchronize();
  world[1].in("second").all_reduce("sum").stream_synchronize();
  return world;
}

TEST(Victims, WaitsWhereTheOthersWereBefore) {
  World world = one_in_each();
  for (Rank* rank : world.some(2, 3)) then_all_reduce(first_reduce(*rank)).stream_synchronize();
  const Verdict verdict = world.verdict();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::missing_rank));
  EXPECT_EQ(verdict.culprits, std::vector<int>{1}) << "rank 0 has still to come";
}

TEST(Victims, TheSameWithTheCallsTheOtherWayRound) {
  World world = one_in_each();
  for (Rank* rank : world.some(2, 3)) {
    const std::uint32_t stream = rank->add_stream();
    rank->on(stream).in("second").all_reduce("sum");
    first_reduce(rank->on(0)).on(stream).stream_synchronize();
  }
  EXPECT_EQ(world.verdict().culprits, std::vector<int>{0}) << "rank 1 has still to come";
}

TEST(Victims, NobodyShowsAnOrderThatTwoDisagreeAbout) {
  World world = one_in_each();
  then_all_reduce(first_reduce(world[2])).stream_synchronize();
  const std::uint32_t stream = world[3].add_stream();
  world[3].on(stream).in("second").all_reduce("sum");
  first_reduce(world[3].on(0)).on(stream).stream_synchronize();
  EXPECT_EQ(world.verdict().culprits, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace gridlock::detect
