// Boxes that are claimed at once, and one that is claimed again.
#include "harness/run/look/owners.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Owners, OfTwoBoxesMayHaveClaimedThemAtTheSameTime) {
  Owners owners(2);
  owners.of(0, 7).shows_program = true;
  EXPECT_FALSE(owners.of(1, 7).shows_program);
  EXPECT_TRUE(owners.of(0, 7).shows_program);
}

TEST(Owners, AnotherClaimIsAnotherOwner) {
  Owners owners(1);
  owners.of(0, 7) = {.claim = 7, .shows_program = true, .gone_ns = 2};
  EXPECT_FALSE(owners.of(0, 8).shows_program);
  EXPECT_EQ(owners.of(0, 8).gone_ns, 0);
}

}  // namespace
}  // namespace gridlock::run
