// Encoded columns can be counted again, and any other text is refused.
#include "harness/report/page/columns.h"

#include <gtest/gtest.h>

#include <limits>

namespace gridlock::report {
namespace {

TEST(Columns, AreShortWhereNeighboursAreNear) {
  std::vector<std::int64_t> times;
  times.reserve(4096);
  for (std::int64_t i = 0; i < 4096; ++i) times.push_back(1'000'000 + 20 * i);
  EXPECT_LT(encoded(times).size(), 4096 * 4 / 3 + 16);
}

TEST(Columns, CountTheirValues) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::vector<std::int64_t>> all{
      {}, {0}, {-1}, {1, -1, 1, -1}, {kMost, -kMost, 0}, std::vector<std::int64_t>(1000, 7)};
  for (const auto& values : all) EXPECT_EQ(encoded_count(encoded(values)), values.size());
}

// The page's script decodes these same texts (tests/page/script_test.js).
TEST(Columns, AreWhatTheScriptReads) { EXPECT_EQ(encoded({0, 1, -1, 300, 100000}), "AAID2gTolQw"); }

TEST(Columns, RefuseWhatIsNone) {
  EXPECT_EQ(encoded_count("AAI<"), std::nullopt);
  EXPECT_EQ(encoded_count("/////w"), std::nullopt) << "the last value has no end";
}

TEST(Columns, KeepEqualTextsOnce) {
  Interned texts;
  EXPECT_EQ(texts.number("a"), 0U);
  EXPECT_EQ(texts.number("b"), 1U);
  EXPECT_EQ(texts.number("a"), 0U);
  EXPECT_EQ(texts.texts().size(), 2U);
}

}  // namespace
}  // namespace gridlock::report
