// Who waits for whom: processes and the points between them.
#include "harness/detect/blame/waits_for.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gridlock::detect
