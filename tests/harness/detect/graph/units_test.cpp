// Turns positions and launches into units in flight.
#include "harness/detect/graph/units.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect {
namespace {

using states::World;

// A stream that has passed two operations and has three in flight.
class Units : public ::testing::Test {
 protected:
  Units() : world_(1) {
    for (int i = 0; i < 5; ++i) world_[0].all_reduce("step");
    world_[0].done(2);
    shown_ = world_.snapshots();
    graph_.build(shown_, {}, nullptr, Hosts::may_act);
    first_ = graph_.streams[0].first_unit;
  }
  World world_;
  std::vector<record::Snapshot> shown_;
  WaitGraph graph_;
  Index first_ = 0;
};

TEST_F(Units, AreThoseInFlight) {
  EXPECT_EQ(graph_.streams[0].units, 3U);
  EXPECT_EQ(operation_of(graph_, 0, first_)->index, 2U);
  EXPECT_EQ(operation_of(graph_, 0, first_ + 2)->index, 4U);
}

TEST_F(Units, UpToAPosition) {
  EXPECT_EQ(unit_up_to(graph_, 0, 0), kNoIndex);
  EXPECT_EQ(unit_up_to(graph_, 0, 2), kNoIndex);  // past
  EXPECT_EQ(unit_up_to(graph_, 0, 3), first_);
  EXPECT_EQ(unit_up_to(graph_, 0, 5), first_ + 2);
  EXPECT_EQ(unit_up_to(graph_, 0, 99), first_ + 2);  // not recorded yet: the last recorded one
}

TEST_F(Units, ByALaunch) {
  EXPECT_EQ(unit_launched_by(graph_, 0, 2), kNoIndex);
  EXPECT_EQ(unit_launched_by(graph_, 0, 3), first_);
  EXPECT_EQ(unit_launched_by(graph_, 0, 4), first_ + 1);
  EXPECT_EQ(unit_launched_by(graph_, 0, 5), first_ + 2);
}

}  // namespace
}  // namespace gridlock::detect
