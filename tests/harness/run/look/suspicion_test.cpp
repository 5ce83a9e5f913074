// When ranks that look dead are looked at again.
#include "harness/run/look/suspicion.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

detect::Finding suspects(const std::vector<int>& ranks, bool unmoved) {
  return {.dead = ranks, .suspects = ranks, .unmoved = unmoved};
}

TEST(Suspicion, LooksTwiceMoreAtOnce) {
  Suspicion suspicion;
  EXPECT_FALSE(suspicion.exists());
  suspicion.looked(suspects({0, 1}, false), Depth::boxes);
  EXPECT_TRUE(suspicion.is_urgent());
  suspicion.looked(suspects({0, 1}, true), Depth::kernel);
  EXPECT_TRUE(suspicion.is_urgent());
  suspicion.looked(suspects({0, 1}, true), Depth::again);
  EXPECT_TRUE(suspicion.exists());
  EXPECT_FALSE(suspicion.is_urgent());
}

TEST(Suspicion, BeginsAnewWithWhatHasChanged) {
  Suspicion suspicion;
  for (int look = 0; look < 3; ++look) suspicion.looked(suspects({0, 1}, look > 0), Depth::kernel);
  suspicion.looked(suspects({0, 1, 2}, true), Depth::kernel);
  EXPECT_TRUE(suspicion.is_urgent()) << "another rank looks dead too";
  for (int look = 0; look < 2; ++look) suspicion.looked(suspects({0, 1, 2}, true), Depth::kernel);
  suspicion.looked(suspects({0, 1, 2}, false), Depth::kernel);
  EXPECT_TRUE(suspicion.is_urgent()) << "a stream has moved";
}

TEST(Suspicion, EndsWithAllAlive) {
  Suspicion suspicion;
  suspicion.looked(suspects({3}, false), Depth::boxes);
  suspicion.looked(suspects({}, false), Depth::kernel);
  EXPECT_FALSE(suspicion.exists());
  EXPECT_FALSE(suspicion.is_urgent());
}

// What looks of these depths find one after the other, and which proofs count.
struct Look {
  Depth depth;
  bool proven;
  bool counts;
  Depth next;
};
void expect_looks(bool rests_on_kernel, const std::vector<Look>& looks) {
  Suspicion suspicion;
  for (const Look& look : looks) {
    detect::Finding finding = suspects({0}, true);
    finding.proven = look.proven;
    finding.rests_on_kernel = rests_on_kernel;
    EXPECT_EQ(suspicion.looked(finding, look.depth), look.counts);
    EXPECT_EQ(suspicion.next(), look.next);
  }
}

TEST(Suspicion, AProofOnWhichTheKernelHasNoSayNeedsOnlyTheBoxesAgain) {
  expect_looks(false, {{Depth::boxes, false, false, Depth::kernel},
                       {Depth::kernel, false, false, Depth::again},
                       {Depth::again, true, true, Depth::kernel},
                       {Depth::kernel, true, true, Depth::kernel}});
}

TEST(Suspicion, AProofThatRestsOnTheKernelsWordNeedsItTwice) {
  expect_looks(true, {{Depth::boxes, false, false, Depth::kernel},
                      {Depth::kernel, false, false, Depth::kernel},
                      {Depth::kernel, true, true, Depth::kernel}});
}

TEST(Suspicion, AFirstLookAtThreadsDoesNotReplaceAFullOne) {
  for (const bool rests : {false, true}) {
    expect_looks(rests, {{Depth::threads, false, false, Depth::kernel},
                         {Depth::kernel, true, false, Depth::again},
                         {Depth::again, true, true, Depth::kernel}});
  }
}

TEST(Suspicion, WhatHasMovedSinceTheFirstLookAtThreadsIsLookedAtTwice) {
  expect_looks(true, {{Depth::threads, false, false, Depth::kernel},
                      {Depth::kernel, false, false, Depth::kernel},
                      {Depth::kernel, true, true, Depth::kernel}});
}

}  // namespace
}  // namespace gridlock::run
