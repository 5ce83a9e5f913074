// Buckets are reduced in their order, whatever the order in which gradients become ready.
#include "scenarios/training/ddp/reducer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

struct Fixture {
  explicit Fixture(Rank& rank)
      : group(rank, "world"),
        parameters({}, 0, rank.stream()),
        reducer(group, parameters, {}, {.first = 32, .others = 256}) {}

  // One pass with gradients in this order.
  void pass(const std::vector<int>& order) {
    reducer.prepare_forward();
    for (const int parameter : order) reducer.ready(parameter);
    reducer.finish();
  }

  ProcessGroup group;
  Parameters parameters;
  Reducer reducer;
};

TEST(Reducer, FirstPassHasOneBucketThenThereAreMore) {
  run_ranks(1, [](Rank& rank) {
    Fixture fixture(rank);
    EXPECT_EQ(fixture.reducer.bucket_count(), 1);
    fixture.pass(backward_order());
    EXPECT_EQ(fixture.reducer.bucket_count(), 1);
    fixture.reducer.prepare_forward();
    EXPECT_EQ(fixture.reducer.bucket_count(), bucket_count({}, {.first = 32, .others = 256}));
    EXPECT_GE(fixture.reducer.bucket_count(), 3);
  });
}

TEST(Reducer, ABucketWaitsForThoseBeforeIt) {
  run_ranks(1, [](Rank& rank) {
    Fixture fixture(rank);
    fixture.pass(backward_order());
    fixture.reducer.prepare_forward();
    std::vector<int> backwards = backward_order();
    std::reverse(backwards.begin(), backwards.end());
    for (const int parameter : backwards) {
      if (parameter == kHeadWeight) break;  // the whole of the first bucket
      fixture.reducer.ready(parameter);
      EXPECT_EQ(fixture.reducer.launched(), 0);
    }
    fixture.reducer.ready(kHeadWeight);
    EXPECT_EQ(fixture.reducer.launched(), fixture.reducer.bucket_count());
  });
}

TEST(Reducer, ABucketIsLaunchedWithItsLastGradient) {
  run_ranks(1, [](Rank& rank) {
    Fixture fixture(rank);
    fixture.pass(backward_order());
    fixture.reducer.prepare_forward();
    fixture.reducer.ready(kHeadWeight);
    EXPECT_EQ(fixture.reducer.launched(), 1);
    fixture.reducer.ready(kHeadBias);
    EXPECT_EQ(fixture.reducer.launched(), 1);
  });
}

// Ranks whose gradients arrive in different orders use rank 0's order.
TEST(Reducer, AllRanksUseTheOrderOfRankZero) {
  run_ranks(2, [](Rank& rank) {
    Fixture fixture(rank);
    std::vector<int> order = backward_order();
    if (rank.rank() == 1) std::reverse(order.begin(), order.end());
    fixture.pass(order);
    fixture.reducer.prepare_forward();
    fixture.reducer.ready(kHeadWeight);  // first on rank 0, so the first bucket on both
    EXPECT_EQ(fixture.reducer.launched(), 1);
    for (const int parameter : backward_order()) {
      if (parameter != kHeadWeight) fixture.reducer.ready(parameter);
    }
    fixture.reducer.finish();
    rank.wait_for(rank.stream());
    fixture.group.close();
  });
}

TEST(Reducer, WithoutSyncNothingIsLaunched) {
  run_ranks(1, [](Rank& rank) {
    Fixture fixture(rank);
    fixture.reducer.set_sync(false);
    for (const int parameter : backward_order()) fixture.reducer.ready(parameter);
    EXPECT_EQ(fixture.reducer.launched(), 0);
  });
}

}  // namespace
}  // namespace gridlock
