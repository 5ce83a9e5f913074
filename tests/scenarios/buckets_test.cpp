// Gradients are put into buckets in order: a small first one, then larger ones.
#include "scenarios/training/ddp/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gridlock {
namespace {

int floats(const std::vector<int>& bucket, ModelShape shape) {
  int sum = 0;
  for (const int parameter : bucket) {
    sum += parameter_sizes(shape)[static_cast<std::size_t>(parameter)];
  }
  return sum;
}

TEST(Buckets, KeepTheOrderAndLoseNothing) {
  const Buckets buckets = assign_buckets(backward_order(), {}, {});
  std::vector<int> flat;
  for (const auto& bucket : buckets) flat.insert(flat.end(), bucket.begin(), bucket.end());
  EXPECT_EQ(flat, backward_order());
}

TEST(Buckets, CloseWhenTheLimitIsReached) {
  const BucketLimits limits{.first = 32, .others = 256};
  const Buckets buckets = assign_buckets(backward_order(), {}, limits);
  ASSERT_GE(buckets.size(), 3U);
  EXPECT_EQ(buckets[0], std::vector<int>{kHeadWeight});  // 32 floats: full at once
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    const int limit = i == 0 ? limits.first : limits.others;
    std::vector<int> without_last = buckets[i];
    without_last.pop_back();
    EXPECT_GE(floats(buckets[i], {}), limit);
    EXPECT_LT(floats(without_last, {}), limit);
  }
}

TEST(Buckets, OneHoldsEverythingWhenItIsLargeEnough) {
  EXPECT_EQ(bucket_count({}, {.first = parameter_total({}), .others = 1}), 1);
}

TEST(Buckets, BackwardOrderNamesEveryParameterOnce) {
  std::vector<int> order = backward_order();
  std::sort(order.begin(), order.end());
  for (int parameter = 0; parameter < kParameterCount; ++parameter) {
    EXPECT_EQ(order.at(static_cast<std::size_t>(parameter)), parameter);
  }
}

}  // namespace
}  // namespace gridlock
