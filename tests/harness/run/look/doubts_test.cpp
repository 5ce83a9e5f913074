// When threads in doubt are looked at again.
#include "harness/run/look/doubts.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Doubts, AreLookedIntoAtOnceButNotForEver) {
  Doubts doubts;
  EXPECT_FALSE(doubts.is_due(false));
  int looks = 0;
  while (doubts.is_due(true)) ++looks;
  EXPECT_GT(looks, 10);
  EXPECT_FALSE(doubts.is_due(true));
  EXPECT_FALSE(doubts.is_due(false));
  EXPECT_TRUE(doubts.is_due(true)) << "these are new ones";
}

}  // namespace
}  // namespace gridlock::run
