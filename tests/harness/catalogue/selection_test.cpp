// Numbers of ranks, and what patterns select.
#include "harness/catalogue/selection.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace gridlock::catalogue {
namespace {

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
}  // namespace gridlock::catalogue
