// Where training ranks wait: the slots that a TrainingRun counts are those that a trainer calls.
#include "scenarios/training/runs/places.h"

#include <gtest/gtest.h>

namespace gridlock {
namespace {

TEST(TrainingRun, OneBucketIsOneCollectiveAStep) {
  const TrainingRun run;
  EXPECT_EQ(bucket_count(one_bucket().shape, one_bucket().buckets), 1);
  EXPECT_EQ(run.begin(0), 2);  // shapes, parameters
  EXPECT_EQ(run.gradients(0).slot, 2);
  EXPECT_EQ(run.gradients(1).slot, 5);  // behind the two broadcasts that rebuild the buckets
  EXPECT_EQ(run.gradients(4).slot, *run.gradients(3).slot + 1);
}

TEST(TrainingRun, AStepHasItsCallsInOrder) {
  const TrainingRun run{.options = {.norm = Norm::synchronized}, .asks_per_step = 1};
  const int begin = run.begin(2);
  EXPECT_EQ(run.buffers(2).slot, begin);
  EXPECT_EQ(run.asks(2, value("length")).slot, begin + 1);
  EXPECT_EQ(run.statistics(2).slot, begin + 2);
  EXPECT_EQ(run.gradients(2).slot, begin + 3);
  EXPECT_EQ(run.gradients(2, 1).slot, begin + 4);
  const int buckets = bucket_count(run.options.shape, run.options.buckets);
  EXPECT_EQ(run.begin(3), begin + 3 + buckets + 1);  // and the layer's all-reduce
}

TEST(TrainingRun, WhatFollowsTheLastBucketCounts) {
  const TrainingRun plain;
  const TrainingRun with_map{.reports_per_step = 1};
  EXPECT_EQ(with_map.begin(3), plain.begin(3) + 3);
  EXPECT_EQ(with_map.behind(2, value("metric")).slot, with_map.begin(3));
}

TEST(TrainingRun, PlacesNameTheCall) {
  const Place place = TrainingRun{}.gradients(3);
  EXPECT_EQ(place.label, "gradients/bucket 0");
  EXPECT_EQ(place.operation, Operation::all_reduce);
  EXPECT_EQ(place.communicator, "world");
  EXPECT_EQ(place.caller, "launch_bucket");
  EXPECT_FALSE(gradients().slot.has_value());
  EXPECT_EQ(gradients(1).label, "gradients/bucket 1");
  EXPECT_EQ(value("metric", "metrics", 1).slot, 1);
}

}  // namespace
}  // namespace gridlock
