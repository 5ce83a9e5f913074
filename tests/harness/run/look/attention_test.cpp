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
  constexpr std::int64_t kMoreAtFirst = 7;  // looks
  EXPECT_LE((looking - kMoreAtFirst * kCost.count()) * kThreadLookShare, now - kStart);
  EXPECT_GT(looking, 0);
}

TEST(Attention, LooksSoonAgain) {
  Attention attention;
  constexpr Duration kCost = 1ms;
  const std::int64_t first = kStart + kRest;
  attention.looked(kStart, first, kCost);
  EXPECT_TRUE(attention.is_due(kStart, first + 2 * kCost.count()));
}

// As in a training loop whose ranks wait for their GPUs in each step.
TEST(Attention, OfAJobThatRestsInEachStepTakesASmallShareToo) {
  Attention attention;
  std::int64_t now = kStart;
  std::int64_t since = now;
  std::int64_t looking = 0;
  constexpr Duration kCost = 3ms;
  constexpr Duration kStep = 10ms;
  const std::int64_t end = now + Duration(60s).count();
  for (; now < end; now += kPollInterval.count()) {
    if (now - since >= kStep.count()) since = now;
    if (!attention.is_due(since, now)) continue;
    now += kCost.count();
    looking += kCost.count();
    attention.looked(since, now, kCost);
  }
  EXPECT_LE((looking - (kThreadLookCredit + kCost).count()) * kRepeatedLookShare, now - kStart);
  EXPECT_GT(looking, Duration(1s).count());
}

}  // namespace
}  // namespace gridlock::run
