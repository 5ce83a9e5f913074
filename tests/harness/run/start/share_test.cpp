// Splitting ranks between agents, and what ranks were last seen doing.
#include "harness/run/start/share.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/run/look/last_state.h"

namespace gridlock::run {
namespace {

TEST(Divide, EvenlyTheFirstGetTheRest) {
  const auto shares = divide(7, {}, {"a", "b", "c"});
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].ranks, 3);
  EXPECT_EQ(shares[1].first, 3);
  EXPECT_EQ(shares[2].end(), 7);
  EXPECT_EQ(shares[1].first_local, 0);
  EXPECT_EQ(shares[1].local_ranks, 2);
  EXPECT_EQ(divide(1, {}, {"a", "b"})[1].ranks, 0);
}

TEST(Divide, AgentsOfOneHostShareItsLocalRanks) {
  const auto shares = divide(8, {3, 4, 1}, {"a", "b", "a"});
  EXPECT_EQ(shares[0].local_ranks, 4);
  EXPECT_EQ(shares[2].first_local, 3);
  EXPECT_EQ(shares[2].first, 7);
  EXPECT_EQ(shares[1].local_ranks, 4);
}

TEST(Divide, RefusesASplitForOtherAgents) {
  EXPECT_THROW(divide(8, {3, 5}, {"a"}), UsageError);
  EXPECT_THROW(divide(8, {3, 5}, {"a", "b", "c"}), UsageError);
}

TEST(LastState, PutsRanksOfOneStateTogether) {
  std::vector<record::Snapshot> snapshots(3);
  for (record::Snapshot& snapshot : snapshots) {
    snapshot.communicators.emplace_back().name = "world";
    snapshot.threads.emplace_back().call = record::Call::stream_synchronize;
    snapshot.threads.back().waits = record::Waits::stream;
    record::Operation operation;
    operation.call = record::Call::all_reduce;
    operation.slot = 12;
    operation.communicator = 0;
    operation.label = record::Label("gradients");
    snapshot.operations = {operation};
  }
  snapshots[0].process = record::ProcessState::exited;
  EXPECT_EQ(last_state(snapshots, {0, 1, 2}),
            "last seen: rank 0 exited with code 0; ranks 1, 2 in stream_synchronize, after "
            "all_reduce #12 \"gradients\" on world");
  EXPECT_EQ(last_state(snapshots, {}), "it had no ranks of this run");
}

}  // namespace
}  // namespace gridlock::run
