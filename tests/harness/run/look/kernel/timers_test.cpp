// What of a process's timers may still ring.
#include "harness/run/look/kernel/timers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/record/alarm.h"

namespace gridlock::run {
namespace {

constexpr std::uint64_t kNow = 100'000'000'000;  // ns

std::string timer(int signal, std::uint64_t value, const char* notify) {
  return fmt::format("ID: 0\nsignal: {}/{:016x}\nnotify: {}/pid.4711\nClockID: 1\n", signal, value,
                     notify);
}

TEST(Timers, NoneIsSilent) { EXPECT_FALSE(may_ring("", kNow)); }

TEST(Timers, OneOfTheProgramsMayAlwaysRing) {
  EXPECT_TRUE(may_ring(timer(10, 0, "signal"), kNow));
  EXPECT_TRUE(may_ring(timer(0, 0, "thread"), kNow));
  EXPECT_TRUE(may_ring(timer(14, 1, "signal"), kNow));
}

TEST(Timers, AnAlarmRingsUntilItHasRung) {
  EXPECT_TRUE(may_ring(timer(14, kNow + 1, "none"), kNow));
  EXPECT_TRUE(may_ring(timer(14, kNow - 1, "none"), kNow));  // its signal may be about to come
  EXPECT_FALSE(may_ring(timer(14, kNow - 1'000'000'000, "none"), kNow));
}

TEST(Timers, AnAlarmWithAnIntervalRingsAgain) {
  EXPECT_TRUE(may_ring(timer(14, record::kRingsAgain, "none"), kNow));
}

TEST(Timers, ASpentAlarmHidesNoOther) {
  const std::string spent = timer(14, 1, "none");
  EXPECT_TRUE(may_ring(spent + timer(10, 0, "signal"), kNow));
  EXPECT_FALSE(may_ring(spent + spent, kNow));
}

TEST(Timers, OfAProcessThatIsGoneRingNoMore) {
  EXPECT_EQ(may_ring(getpid()), false);
  EXPECT_EQ(may_ring(0), false);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::optional<bool> rings = may_ring(getpid());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(rings.has_value()) << "this process could not look";
}

}  // namespace
}  // namespace gridlock::run
