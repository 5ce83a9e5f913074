// A stall in which what a rank has sent to another host gets no answer.
#include "harness/detect/blame/network.h"

#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// All ranks wait in the same collective, and all have come. Ranks `on` each host.
World all_have_come(int ranks, int on_each_host) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    rank.box.host = "node" + std::to_string(rank.box.rank / on_each_host);
    rank.all_reduce("gradients").stream_synchronize();
  }
  return world;
}

record::Unanswered sent_to(int rank, bool has_route = true) {
  return {.to = "10.77.0." + std::to_string(rank),
          .rank = rank,
          .bytes = 4096,
          .tries = 5,
          .has_route = has_route};
}

TEST(Network, TheHostWithoutALinkIsToBlame) {
  World world = all_have_come(4, 2);
  world[1].box.unanswered = {sent_to(2)};
  world[3].box.unanswered = {sent_to(0, false)};
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.outcome, Outcome::stall);
  EXPECT_EQ(verdict.cause, Cause::network);
  EXPECT_EQ(verdict.culprits, (std::vector{2, 3}));
  ASSERT_EQ(verdict.waiting.size(), 1U);
  EXPECT_EQ(verdict.waiting[0].ranks, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(verdict.waiting[0].label, "gradients");
  ASSERT_EQ(verdict.faults.size(), 2U) << "each end has sent something";
  EXPECT_EQ(verdict.faults[1].ranks, std::vector{3});
  EXPECT_EQ(text_of(verdict.faults[1].what),
            "on node1 has sent 4096 bytes to rank 0 on node0 (10.77.0.0), 5 times again without an "
            "answer: no route leads there, so the link of node1 is down");
}

// The host that is cut off need not have sent anything.
TEST(Network, NorNeedItHaveSentAnything) {
  World world = all_have_come(4, 2);
  world[1].box.unanswered = {sent_to(2)};
  world[1].box.unanswered[0].peer_has_route = false;
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.culprits, (std::vector{2, 3}));
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(verdict.faults[0].ranks, std::vector{1});
  EXPECT_NE(text_of(verdict.faults[0].what).find("leads back, so the link of node1 is down"),
            std::string::npos);
}

TEST(Network, TheHostInAllDeadConnectionsIsToBlame) {
  World world = all_have_come(3, 1);
  world[0].box.unanswered = {sent_to(1)};
  world[1].box.unanswered = {sent_to(2)};
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::network);
  EXPECT_EQ(verdict.culprits, std::vector{1});
}

TEST(Network, BothHostsIfNothingTellsWhichOne) {
  World world = all_have_come(2, 1);
  world[0].box.unanswered = {sent_to(1)};
  EXPECT_EQ(world.stall().culprits, (std::vector{0, 1}));
}

// A log server that does not answer is no reason why ranks wait for each other.
TEST(Network, WhatWasSentToAStrangerIsOnlyNoted) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
  world[2].blocked_in("read(4)");
  record::Unanswered stranger = sent_to(9);
  stranger.rank = -1;
  world[2].box.unanswered = {stranger};
  const Verdict verdict = world.stall();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  ASSERT_FALSE(verdict.notes.empty());
  EXPECT_NE(text_of(verdict.notes.back()).find("10.77.0.9, 5 times again"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::detect::states
