// The test against published tables and other programs.
#include "harness/report/compare/mann_whitney.h"

#include <gtest/gtest.h>

namespace gridlock::report {
namespace {

// Mann and Whitney 1947, table I: one-sided probabilities.
TEST(MannWhitney, AgreesWithThePublishedTable) {
  EXPECT_NEAR(mann_whitney({1, 2, 3}, {4, 5, 6}).p, 2 * 0.050, 1e-3);        // n = m = 3, U = 0
  EXPECT_NEAR(mann_whitney({1, 2, 3, 5}, {4, 6, 7, 8}).p, 2 * 0.029, 1e-3);  // n = m = 4, U = 1
  EXPECT_NEAR(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}).p, 2.0 / 252, 1e-9);
}

// Worked by hand: U = 25.5, variance 29.32 with three 2s and two 3s, continuity 0.5.
TEST(MannWhitney, CorrectsForTies) {
  const MannWhitney test = mann_whitney({1, 2, 2, 3, 4}, {2, 3, 5, 6, 7, 8});
  EXPECT_NEAR(test.p, 0.06477, 1e-5);
  EXPECT_NEAR(test.greater, 25.5 / 30, 1e-9);
}

TEST(MannWhitney, EqualSamplesDoNotDiffer) {
  EXPECT_DOUBLE_EQ(mann_whitney({5, 5, 5, 5, 5}, {5, 5, 5, 5, 5}).p, 1);
  EXPECT_GT(mann_whitney({1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}).p, 0.5);
}

TEST(MannWhitney, DoesNotDependOnTheOrder) {
  const std::vector<double> one{3, 1, 9, 4, 7, 20};
  const std::vector<double> other{12, 8, 15, 30, 2};
  EXPECT_DOUBLE_EQ(mann_whitney(one, other).p, mann_whitney(other, one).p);
  EXPECT_NEAR(mann_whitney(one, other).greater + mann_whitney(other, one).greater, 1, 1e-12);
}

}  // namespace
}  // namespace gridlock::report
