// When ranks that look dead are looked at again.
#include "harness/run/look/suspicion.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(Suspicion, LooksTwiceMoreAtOnce) {
  Suspicion suspicion;
  EXPECT_FALSE(suspicion.exists());
  suspicion.looked({0, 1}, false);
  EXPECT_TRUE(suspicion.is_urgent());
  suspicion.looked({0, 1}, true);
  EXPECT_TRUE(suspicion.is_urgent());
  suspicion.looked({0, 1}, true);
  EXPECT_TRUE(suspicion.exists());
  EXPECT_FALSE(suspicion.is_urgent());
}

TEST(Suspicion, BeginsAnewWithWhatHasChanged) {
  Suspicion suspicion;
  for (int look = 0; look < 3; ++look) suspicion.looked({0, 1}, look > 0);
  suspicion.looked({0, 1, 2}, true);
  EXPECT_TRUE(suspicion.is_urgent()) << "another rank looks dead too";
  for (int look = 0; look < 2; ++look) suspicion.looked({0, 1, 2}, true);
  suspicion.looked({0, 1, 2}, false);
  EXPECT_TRUE(suspicion.is_urgent()) << "a stream has moved";
}

TEST(Suspicion, EndsWithAllAlive) {
  Suspicion suspicion;
  suspicion.looked({3}, false);
  suspicion.looked({}, false);
  EXPECT_FALSE(suspicion.exists());
  EXPECT_FALSE(suspicion.is_urgent());
}

TEST(Suspicion, AProofOnWhichTheKernelHasNoSayNeedsOnlyTheBoxesAgain) {
  detect::Finding finding{.dead = {0}};
  EXPECT_EQ(depth_for_proof(Depth::boxes, finding), Depth::kernel);
  EXPECT_EQ(depth_for_proof(Depth::threads, finding), Depth::kernel);
  EXPECT_EQ(depth_for_proof(Depth::kernel, finding), Depth::again);
  EXPECT_EQ(depth_for_proof(Depth::again, finding), Depth::kernel);
}

TEST(Suspicion, AProofThatRestsOnTheKernelsWordNeedsItTwice) {
  const detect::Finding finding{.dead = {0}, .rests_on_kernel = true};
  EXPECT_EQ(depth_for_proof(Depth::kernel, finding), Depth::kernel);
}

TEST(Suspicion, AProofThatMustStandIsLookedAtCloselyUntilThen) {
  const detect::Finding finding{.dead = {0}, .proven = true};
  EXPECT_EQ(depth_for_proof(Depth::kernel, finding), Depth::kernel);
}

}  // namespace
}  // namespace gridlock::run
