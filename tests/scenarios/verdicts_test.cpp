// Declared verdicts: which ranks are to blame, which wait, and what else a GPU may do.
#include "scenarios/verdicts.h"

#include <gtest/gtest.h>

namespace gridlock {
namespace {

constexpr Place kHere{"here", Operation::all_reduce, "world", 3, "caller"};
constexpr Place kThere{"there", Operation::broadcast, "world", 3, "other"};

using Ranks = std::vector<int>;

TEST(Verdicts, OneHasLeft) {
  const Expectation whole = one_has_left(4, 3, kHere);
  EXPECT_EQ(whole.outcomes(Backend::cuda), std::vector{Outcome::deadlock});
  EXPECT_EQ(whole.cause(), Cause::rank_exited);
  EXPECT_EQ(whole.culprits(), Ranks{3});
  ASSERT_EQ(whole.waits().size(), 1U);
  EXPECT_EQ(whole.waits()[0].ranks, (Ranks{0, 1, 2}));
  EXPECT_EQ(whole.waits()[0].place.label, "here");
  EXPECT_EQ(whole.waits()[0].place.slot, 3);
}

TEST(Verdicts, OneIsStuck) {
  const Expectation whole = one_is_stuck(3, 1, kHere);
  EXPECT_EQ(whole.outcomes(Backend::sim), (std::vector{Outcome::stall, Outcome::deadlock}));
  EXPECT_EQ(whole.cause(), Cause::host_stuck);
  EXPECT_EQ(whole.waits()[0].ranks, (Ranks{0, 2}));
}

TEST(Verdicts, WhoDiffersIsToBlameUnlessItIsATie) {
  const Expectation of_four = calls_differ(4, 0, kThere, kHere);
  EXPECT_EQ(of_four.culprits(), Ranks{0});
  EXPECT_EQ(of_four.waits()[0].ranks, Ranks{0});
  EXPECT_EQ(of_four.waits()[0].place.label, "there");
  EXPECT_EQ(of_four.waits()[1].ranks, (Ranks{1, 2, 3}));
  EXPECT_EQ(calls_differ(2, 0, kThere, kHere).culprits(), (Ranks{0, 1}));
}

TEST(Verdicts, CallsThatDifferShareASlot) {
  const Place elsewhere{.label = "there", .operation = Operation::broadcast};
  EXPECT_EQ(calls_differ(4, 0, elsewhere, kHere).waits()[0].place.slot, 3);
  const Place later = one_call_later(kHere);
  EXPECT_EQ(calls_differ(4, 0, later, kHere).waits()[0].place.slot, 4);
  EXPECT_FALSE(one_call_later(elsewhere).slot.has_value());
}

TEST(Verdicts, OneIsElsewhere) {
  const Expectation of_four = one_is_elsewhere(4, 0, kThere, kHere);
  EXPECT_EQ(of_four.cause(), Cause::missing_rank);
  EXPECT_EQ(of_four.culprits(), Ranks{0});
  EXPECT_EQ(of_four.waits()[0].place.label, "there");
  EXPECT_EQ(of_four.waits()[1].ranks, (Ranks{1, 2, 3}));
  EXPECT_EQ(one_is_elsewhere(2, 0, kThere, kHere).cause(), Cause::cycle);
  EXPECT_EQ(one_is_elsewhere(2, 0, kThere, kHere).culprits(), (Ranks{0, 1}));
}

TEST(Verdicts, MismatchedCallsMayEndInAnyWayOnAGpu) {
  const Expectation whole = mismatched({1});
  EXPECT_EQ(whole.outcomes(Backend::sim), std::vector{Outcome::deadlock});
  EXPECT_EQ(whole.outcomes(Backend::cuda),
            (std::vector{Outcome::deadlock, Outcome::stall, Outcome::fails, Outcome::crashes,
                         Outcome::corrupts}));
  EXPECT_FALSE(whole.only_outcome(Backend::sim));
  EXPECT_TRUE(whole.only_outcome(Backend::cuda));
}

TEST(Verdicts, AnOlderNcclMayEndOtherwise) {
  const Expectation whole =
      completes().before(22100, fails()).before(22602, crashes().culprits({1}));
  EXPECT_EQ(whole.outcomes(Backend::source), std::vector{Outcome::completes});
  ASSERT_EQ(whole.older().size(), 2U);
  EXPECT_EQ(whole.older()[0].end(), 22100);
  EXPECT_EQ(whole.older()[1].end(), 22602);
  EXPECT_EQ(whole.older()[1].outcomes(Backend::source), std::vector{Outcome::crashes});
  EXPECT_EQ(whole.older()[1].culprits(), Ranks{1});
}

TEST(Verdicts, HostsCrossedAreACycleWhereTheyAreEqualInNumber) {
  EXPECT_EQ(hosts_crossed(4, kHere, kThere).cause(), Cause::cycle);
  EXPECT_EQ(hosts_crossed(4, kHere, kThere).culprits(), all_ranks(4));
  const Expectation of_five = hosts_crossed(5, kHere, kThere);
  EXPECT_EQ(of_five.cause(), Cause::missing_rank);
  EXPECT_EQ(of_five.culprits(), (Ranks{1, 3}));
  EXPECT_EQ(of_five.waits()[0].ranks, (Ranks{0, 2, 4}));
  EXPECT_EQ(of_five.waits()[1].ranks, (Ranks{1, 3}));
}

TEST(Verdicts, StreamsCrossedAreACycleAnyhow) {
  EXPECT_EQ(streams_crossed(5, kHere, kThere).cause(), Cause::cycle);
  EXPECT_EQ(streams_crossed(5, kHere, kThere).culprits(), (Ranks{1, 3}));
  EXPECT_EQ(streams_crossed(2, kHere, kThere).culprits(), (Ranks{0, 1}));
}

TEST(Verdicts, AllFailAndAllAreWell) {
  EXPECT_EQ(all_fail(3).outcomes(Backend::sim), std::vector{Outcome::fails});
  EXPECT_EQ(all_fail(3).culprits(), (Ranks{0, 1, 2}));
  EXPECT_EQ(all_well(3).outcomes(Backend::cuda), std::vector{Outcome::completes});
  EXPECT_TRUE(all_well(3).culprits().empty());
}

}  // namespace
}  // namespace gridlock
