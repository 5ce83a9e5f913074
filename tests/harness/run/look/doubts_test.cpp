// When threads in doubt are looked at again.
#include "harness/run/look/doubts.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Doubts, AreLookedIntoAtOnceButNotForEver) {
  Doubts doubts;
  EXPECT_FALSE(doubts.are_due());
  doubts.looked(true);
  int looks = 0;
  for (; doubts.are_due(); ++looks) doubts.looked(true);
  EXPECT_GT(looks, 10);
  doubts.looked(false);
  EXPECT_FALSE(doubts.are_due());
  doubts.looked(true);
  EXPECT_TRUE(doubts.are_due()) << "these are new ones";
}

}  // namespace
}  // namespace gridlock::run
