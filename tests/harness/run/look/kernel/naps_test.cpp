// Threads that wake up for a glance.
#include "harness/run/look/kernel/naps.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

using record::Awake;
using record::Sleep;

Sleep awake(Awake why, std::int64_t limit_ns = 0) {
  Sleep sleep;
  sleep.awake = why;
  sleep.limit_ns = limit_ns;
  sleep.by_clock = limit_ns > 0;
  return sleep;
}

TEST(Naps, WhoHasJustWokenCountsAsNapping) {
  Naps naps;
  EXPECT_FALSE(naps.look(7, awake(Awake::runs), 1000).by_clock);
  Sleep nap = awake(Awake::may_end, 100);
  nap.wakers = {5};
  EXPECT_TRUE(naps.look(7, nap, 2000).by_clock);
  const Sleep glance = naps.look(7, awake(Awake::runs), 3000);
  EXPECT_TRUE(glance.by_clock);
  EXPECT_EQ(glance.limit_ns, 100);
  EXPECT_EQ(glance.wakers, nap.wakers);
  EXPECT_TRUE(naps.look(7, awake(Awake::runs), 3000 + kGlance.count()).by_clock);
  EXPECT_FALSE(naps.look(7, awake(Awake::runs), 3001 + kGlance.count()).by_clock);
  EXPECT_FALSE(naps.look(7, awake(Awake::runs), 3002 + kGlance.count()).by_clock);
}

TEST(Naps, AGlanceEndsWithTheNextNap) {
  Naps naps;
  for (std::int64_t at = 0; at < 4 * kGlance.count(); at += kGlance.count()) {
    EXPECT_TRUE(naps.look(7, awake(Awake::may_end, 100), at + 1).by_clock);
    EXPECT_TRUE(naps.look(7, awake(Awake::runs), at + 2).by_clock);
  }
}

TEST(Naps, AnotherThreadDoesNotCount) {
  Naps naps;
  naps.look(7, awake(Awake::may_end, 100), 1);
  EXPECT_FALSE(naps.look(8, awake(Awake::runs), 2).by_clock);
}

TEST(Naps, WhoSleepsOtherwiseMeanwhileHasDoneMore) {
  Naps naps;
  Sleep asleep;
  asleep.asleep = true;
  for (const Sleep& otherwise : {asleep, awake(Awake::may_end), awake(Awake::in_library)}) {
    naps.look(7, awake(Awake::may_end, 100), 1);
    EXPECT_FALSE(naps.look(7, otherwise, 2).by_clock);
    EXPECT_FALSE(naps.look(7, awake(Awake::runs), 3).by_clock);
  }
}

}  // namespace
}  // namespace gridlock::run
