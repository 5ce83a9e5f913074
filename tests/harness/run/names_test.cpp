// Names, durations and numbers of ranks as people type them.
#include "harness/run/names.h"

#include <gtest/gtest.h>

#include "harness/run/duration.h"
#include "harness/run/error.h"
#include "harness/run/selection.h"

namespace gridlock::run {
namespace {

TEST(Names, WildcardsAreTheShells) {
  EXPECT_TRUE(fits("uneven_*", "uneven_batches"));
  EXPECT_TRUE(fits("[su]*_batch?s", "uneven_batches"));
  EXPECT_FALSE(fits("uneven", "uneven_batches"));
}

TEST(Names, EditDistanceCountsLetters) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Names, TheNearestMustResemble) {
  const std::vector<std::string> names{"uneven_batches", "stray_synchronize"};
  EXPECT_EQ(nearest("unevn_batches", names), "uneven_batches");
  EXPECT_EQ(nearest("zzzz", names), "");
}

TEST(Duration, NeedsAUnit) {
  EXPECT_EQ(parse_duration("500ms"), std::chrono::milliseconds(500));
  EXPECT_EQ(parse_duration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(parse_duration("2min"), std::chrono::minutes(2));
  for (const char* bad : {"", "5", "ms", "-1s", "0s", "1 day", "nan s", "infs", "1e300s"}) {
    EXPECT_THROW(parse_duration(bad), UsageError) << bad;
  }
}

TEST(Duration, IsPrintedAsItIsWritten) {
  for (const char* text : {"1 ms", "0.25 ms", "999 ms", "1 s", "1.5 s", "90 s", "86400 s"}) {
    std::string given = text;
    given.erase(given.find(' '), 1);
    EXPECT_EQ(duration_text(parse_duration(given)), text);
  }
}

TEST(Ranks, AreNumbersWithCommas) {
  EXPECT_EQ(parse_ranks("4"), (std::vector<int>{4}));
  EXPECT_EQ(parse_ranks("2,4,16"), (std::vector<int>{2, 4, 16}));
  EXPECT_EQ(parse_ranks("4,3+5,0+2"), (std::vector<int>{4, 8, 2}));
  EXPECT_EQ(parse_splits("4,3+5,0+2"), (std::vector<std::vector<int>>{{}, {3, 5}, {0, 2}}));
  for (const char* bad : {"", "0", "-1", "4097", "99999999999", "2,", ",2", "2;3", "x"}) {
    EXPECT_THROW(parse_ranks(bad), UsageError) << bad;
  }
}

Scenario scenario(const std::string& name, const std::vector<std::string>& variants) {
  Scenario made;
  made.name = name;
  made.ranks = 4;
  for (const std::string& variant : variants) made.variants.emplace_back().name = variant;
  return made;
}

TEST(Plan, FollowsPatterns) {
  const std::vector<Scenario> scenarios{scenario("first", {"one", "other"}),
                                        scenario("second", {"one", "third"})};
  EXPECT_EQ(plan(scenarios, {}).size(), 4U);
  EXPECT_EQ(plan(scenarios, {"first"}).size(), 2U);
  EXPECT_EQ(plan(scenarios, {"*/one"}).size(), 2U);
  // A variant that two patterns name is run once.
  EXPECT_EQ(plan(scenarios, {"first/one", "first"}).size(), 2U);
  EXPECT_THROW(plan(scenarios, {"second/other"}), UsageError);
}

TEST(Plan, KeepsAScenarioThatDidNotAnswer) {
  Scenario broken;
  broken.name = "broken";
  broken.fault = "it crashed";
  const std::vector<Scenario> scenarios{broken};
  const auto runs = plan(scenarios, {"broken/anything"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().variant, nullptr);
}

}  // namespace
}  // namespace gridlock::run
