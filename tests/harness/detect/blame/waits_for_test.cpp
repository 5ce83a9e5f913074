// Who waits for whom: processes and the points between them.
#include "harness/detect/blame/waits_for.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/asleep.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect {
namespace {

using states::World;

struct Waiting {
  explicit Waiting(World& world) : shown(world.snapshots()) {
    graph.build(shown, {}, nullptr, Hosts::frozen);
    points = stuck_points(graph);
    waits = waits_for(graph, points);
  }
  std::vector<Index> targets(Index node) const {
    return {waits.edges.targets.begin() + waits.edges.first[node],
            waits.edges.targets.begin() + waits.edges.first[node + 1]};
  }

  std::vector<record::Snapshot> shown;
  WaitGraph graph;
  Points points;
  WaitsFor waits;
};

TEST(WaitsFor, LeadsFromWhoWaitsToWhoIsMissing) {
  World world(3);
  for (states::Rank* rank : world.some(0, 1)) rank->all_reduce("loss").device_synchronize();
  const Waiting job(world);
  ASSERT_EQ(job.points.points.size(), 1U);
  EXPECT_EQ(job.targets(0), std::vector<Index>{3});  // the point comes after three processes
  EXPECT_EQ(job.targets(1), std::vector<Index>{3});
  EXPECT_EQ(job.targets(3), std::vector<Index>{2});
  EXPECT_TRUE(job.targets(2).empty());
  EXPECT_EQ(job.waits.missed_at[2], std::vector<Index>{0});
  EXPECT_TRUE(job.waits.missed_at[0].empty());
}

TEST(WaitsFor, EndsAtCallsThatDoNotFit) {
  World world(3);
  world[0].all_reduce("loss").device_synchronize();
  world[1].broadcast("loss").device_synchronize();
  const Waiting job(world);
  for (Index point = 0; point < job.points.points.size(); ++point) {
    EXPECT_TRUE(job.targets(job.waits.processes + point).empty());
  }
  EXPECT_FALSE(job.waits.involved[2]);
}

TEST(WaitsFor, EndsWhereAMemberHasLeft) {
  World world(2);
  world[0].all_reduce("loss").device_synchronize();
  world[1].box.communicators[0].state = record::CommunicatorState::closed;
  const Waiting job(world);
  ASSERT_EQ(job.points.points.size(), 1U);
  EXPECT_TRUE(has_left(job.graph, job.points.points[0].missing.front()));
  EXPECT_TRUE(job.targets(2).empty());
  EXPECT_TRUE(job.waits.involved[2]);
}

// Rank 1's main thread joins a thread that is in no box, which waits for rank 2. Another such
// thread idles, or waits for rank 0 on its own account.
TEST(WaitsFor, FollowsAThreadThatIsJoined) {
  World world(3);
  for (states::Rank& rank : world.ranks()) {
    rank.box.key = states::key(rank.box.rank);
    rank.box.pid = 100 + rank.box.rank;
  }
  world[0].all_reduce("loss").device_synchronize();
  states::add_other(world, 1, states::key(1), states::sleeps({states::key(0)}));
  states::add_other(world, 1, states::key(1), states::sleeps({states::key(2)}));
  world[1].box.others[0].tid = 7;
  world[1].box.others[1].tid = 8;
  world[1].box.threads[0].sleep = states::sleeps({states::key(1)});
  const auto sleep_of = [](const Waiting& job) {
    return static_cast<Index>(job.waits.processes + job.waits.points + 1);
  };
  {
    const Waiting idle(world);
    EXPECT_TRUE(idle.targets(sleep_of(idle)).empty()) << "which one wakes it is not known";
  }
  world[1].box.threads[0].sleep.joins = 8;
  const Waiting joining(world);
  EXPECT_EQ(joining.targets(sleep_of(joining)), std::vector<Index>{2});
}

}  // namespace
}  // namespace gridlock::detect
