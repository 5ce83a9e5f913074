// The outlier rule on known figures, and how often it accuses innocent ranks.
#include "harness/accept/judge/outliers.h"

#include <gtest/gtest.h>

#include <random>

namespace gridlock::accept {
namespace {

std::vector<std::size_t> slow(const std::vector<double>& values, double margin = 0.1) {
  std::vector<std::size_t> indices;
  for (const Peer& peer : slow_outliers(values, margin)) indices.push_back(peer.index);
  return indices;
}

using Indices = std::vector<std::size_t>;

TEST(Outliers, TheSlowOneIsFound) {
  EXPECT_EQ(slow({100, 101, 99, 100, 102, 60, 98, 100}), Indices{5});
  // If half of the figures are equal, the median deviation is zero.
  EXPECT_EQ(slow({100, 100, 100, 100, 100, 100, 100, 50}), Indices{7});
  EXPECT_EQ(slow({50, 100, 100, 100}), Indices{0});
  EXPECT_EQ(slow({50, 99, 100, 101}), Indices{0});
}

TEST(Outliers, TheFastOneIsNone) { EXPECT_EQ(slow({100, 101, 99, 100, 180}), Indices{}); }

TEST(Outliers, WithinTheMarginNobodyIsAccused) {
  EXPECT_EQ(slow({100, 100.01, 99.99, 100, 95}), Indices{});
  EXPECT_EQ(slow({100, 100.01, 99.99, 100, 95}, 0.01), Indices{4});
}

TEST(Outliers, EqualFiguresAreAllWell) { EXPECT_EQ(slow({5, 5, 5, 5}), Indices{}); }

TEST(Outliers, TheScoreIsTheBooks) {
  // Median 100, MAD 1: 0.6745 * (100 - 60) / 1.
  const auto peers = slow_outliers({100, 101, 99, 100, 102, 60, 98, 100}, 0.1);
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_NEAR(peers[0].score, 26.98, 0.01);
  EXPECT_NEAR(peers[0].below, 0.4, 1e-9);
}

// Figures that vary by 3 %, as on a quiet node: no rank may be accused in three runs out of three.
TEST(Outliers, HealthyRanksAreNotAccused) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> figure(100, 3);
  int accused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<double> values(8);
    for (double& value : values) value = figure(random);
    accused += slow(values).empty() ? 0 : 1;
  }
  RecordProperty("accused", accused);
  EXPECT_LT(accused, 20000 / 200);
}

}  // namespace
}  // namespace gridlock::accept
