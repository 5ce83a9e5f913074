// Clocks that differ, drift, and answer late.
#include "harness/agents/clock.h"

#include <gtest/gtest.h>

namespace gridlock::agents {
namespace {

constexpr std::int64_t kAhead = 5'000'000'000;  // of the other clock

// A question asked at `asked` that travels for `there`, is worked on for `work`, and returns in
// `back`.
RoundTrip trip(std::int64_t asked, std::int64_t there, std::int64_t work, std::int64_t back) {
  return {.asked_ns = asked,
          .heard_ns = asked + there + kAhead,
          .answered_ns = asked + there + work + kAhead,
          .got_ns = asked + there + work + back};
}

TEST(ClockAlignment, KnowsNothingAtFirst) {
  const ClockAlignment clock;
  EXPECT_EQ(clock.to_here_ns(), 0);
  EXPECT_EQ(clock.error_ns(7), 0);
}

TEST(ClockAlignment, IsExactWhereBothWaysAreAlike) {
  ClockAlignment clock;
  EXPECT_TRUE(clock.add(trip(1000, 400, 9'000'000, 400)));
  EXPECT_EQ(clock.to_here_ns(), -kAhead);
  EXPECT_EQ(clock.error_ns(1000), 400);
}

TEST(ClockAlignment, IsWrongByNoMoreThanItSays) {
  for (const std::int64_t there : {0, 1, 300, 1'000'000}) {
    ClockAlignment clock;
    const RoundTrip lopsided = trip(1000, there, 50, 1'000'000 - there);
    clock.add(lopsided);
    EXPECT_LE(std::abs(clock.to_here_ns() + kAhead), clock.error_ns(lopsided.got_ns)) << there;
  }
}

TEST(ClockAlignment, KeepsTheShortestRoundTrip) {
  ClockAlignment clock;
  clock.add(trip(1000, 100, 0, 100));
  EXPECT_FALSE(clock.add(trip(2000, 5000, 0, 0)));
  EXPECT_EQ(clock.to_here_ns(), -kAhead);
  EXPECT_TRUE(clock.add(trip(9000, 40, 0, 40)));
  EXPECT_EQ(clock.error_ns(9000), 40);
}

TEST(ClockAlignment, TrustsAnOldOneLess) {
  ClockAlignment clock;
  clock.add(trip(0, 100, 0, 100));
  const std::int64_t hour = 3'600'000'000'000;
  EXPECT_EQ(clock.error_ns(hour + 200), 100 + hour / ClockAlignment::kDrift);
  EXPECT_TRUE(clock.add(trip(hour, 5000, 0, 5000)));
}

TEST(ClockAlignment, IgnoresAClockThatGoesBackwards) {
  ClockAlignment clock;
  EXPECT_FALSE(clock.add({.asked_ns = 10, .heard_ns = 50, .answered_ns = 40, .got_ns = 20}));
  EXPECT_FALSE(clock.add({.asked_ns = 10, .heard_ns = 50, .answered_ns = 90, .got_ns = 20}));
  EXPECT_EQ(clock.to_here_ns(), 0);
}

}  // namespace
}  // namespace gridlock::agents
