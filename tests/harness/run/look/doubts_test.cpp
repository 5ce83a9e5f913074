// When threads in doubt are looked at again.
#include "harness/run/look/doubts.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Doubts, AreLookedIntoAtOnceButNotForEver) {
  Doubts doubts;
  EXPECT_FALSE(doubts.are_due());
  doubts.looked(true, 0);
  const auto use_up = [&] {
    int looks = 0;
    for (; doubts.are_due(); ++looks) doubts.looked(true, 0);
    return looks;
  };
  EXPECT_GT(use_up(), 10);
  doubts.looked(false, 0);
  EXPECT_FALSE(doubts.are_due());
  doubts.looked(true, 0);
  EXPECT_TRUE(doubts.are_due()) << "these are new ones";
  use_up();
  doubts.looked(true, 1);
  EXPECT_TRUE(doubts.are_due()) << "the job has moved";
}

}  // namespace
}  // namespace gridlock::run
