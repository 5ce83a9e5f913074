// The sampler deals as DistributedSampler does.
#include "scenarios/training/data/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace gridlock {
namespace {

TEST(Sampler, DealsEveryWorldSizethSample) {
  EXPECT_EQ(sample_indices(8, 4, 0, Tail::uneven), (std::vector<int>{0, 4}));
  EXPECT_EQ(sample_indices(8, 4, 3, Tail::uneven), (std::vector<int>{3, 7}));
}

TEST(Sampler, UnevenTailShortensTheLastRanks) {
  EXPECT_EQ(sample_indices(11, 4, 2, Tail::uneven).size(), 3U);
  EXPECT_EQ(sample_indices(11, 4, 3, Tail::uneven).size(), 2U);
}

TEST(Sampler, DropLeavesTheRemainderOut) {
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(sample_indices(11, 4, rank, Tail::drop).size(), 2U) << rank;
  }
}

TEST(Sampler, PaddingWrapsAroundToTheFirstSamples) {
  EXPECT_EQ(sample_indices(11, 4, 3, Tail::pad), (std::vector<int>{3, 7, 0}));
  EXPECT_EQ(sample_indices(3, 8, 7, Tail::pad), (std::vector<int>{1}));  // more ranks than samples
}

// For every size: padding shows each sample once and some twice, dropping none twice.
TEST(Sampler, PartitionsTheSamples) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int samples = 1; samples <= 30; ++samples) {
      std::multiset<int> padded;
      std::multiset<int> dropped;
      std::multiset<int> uneven;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto pad = sample_indices(samples, ranks, rank, Tail::pad);
        const auto drop = sample_indices(samples, ranks, rank, Tail::drop);
        const auto as_is = sample_indices(samples, ranks, rank, Tail::uneven);
        padded.insert(pad.begin(), pad.end());
        dropped.insert(drop.begin(), drop.end());
        uneven.insert(as_is.begin(), as_is.end());
        EXPECT_EQ(pad.size(), static_cast<std::size_t>((samples + ranks - 1) / ranks));
        EXPECT_EQ(drop.size(), static_cast<std::size_t>(samples / ranks));
      }
      EXPECT_EQ(uneven.size(), static_cast<std::size_t>(samples));
      for (int sample = 0; sample < samples; ++sample) {
        EXPECT_GE(padded.count(sample), 1U);
        EXPECT_LE(dropped.count(sample), 1U);
        EXPECT_EQ(uneven.count(sample), 1U);
      }
    }
  }
}

TEST(Sampler, RefusesWhatCannotBeDealt) {
  EXPECT_THROW(sample_indices(0, 4, 0, Tail::pad), std::invalid_argument);
  EXPECT_THROW(sample_indices(8, 4, 4, Tail::drop), std::invalid_argument);
}

}  // namespace
}  // namespace gridlock
