// When the agent looks at threads, and for what share of the time.
#include "harness/run/look/attention.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr std::int64_t kStart = 1'000'000'000;
constexpr std::int64_t kRest = kRestBound.count();

TEST(Attention, ComesWithRest) {
  const Attention attention;
  EXPECT_FALSE(attention.is_due(kStart, kStart + kRest / 2));
  EXPECT_TRUE(attention.is_due(kStart, kStart + kRest));
}

TEST(Attention, TakesASmallShareOfTheTime) {
  Attention attention;
  std::int64_t now = kStart + kRest;
  std::int64_t looking = 0;
  constexpr Duration kCost = 15ms;
  const std::int64_t end = now + Duration(60s).count();
  for (; now < end; now += kPollInterval.count()) {
    if (!attention.is_due(kStart, now)) continue;
    now += kCost.count();
    looking += kCost.count();
    attention.looked(kStart, now, kCost);
  }
  constexpr std::int64_t kMoreAtFirst = 5;  // looks
  EXPECT_LE((looking - kMoreAtFirst * kCost.count()) * kThreadLookShare, now - kStart);
  EXPECT_GT(looking, 0);
}

}  // namespace
}  // namespace gridlock::run
