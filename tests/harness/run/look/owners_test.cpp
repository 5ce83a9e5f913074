// Boxes that are claimed at once, and one that is claimed again.
#include "harness/run/look/owners.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Owners, OfTwoBoxesMayHaveClaimedThemAtTheSameTime) {
  Owners owners(2);
  owners.of(0, 7).program = 1;
  EXPECT_EQ(owners.of(1, 7).program, std::nullopt);
  EXPECT_EQ(owners.of(0, 7).program, 1U);
}

TEST(Owners, AnotherClaimIsAnotherOwner) {
  Owners owners(1);
  owners.of(0, 7) = {.claim = 7, .program = 1, .gone_ns = 2};
  EXPECT_EQ(owners.of(0, 8).program, std::nullopt);
  EXPECT_EQ(owners.of(0, 8).gone_ns, 0);
}

}  // namespace
}  // namespace gridlock::run
