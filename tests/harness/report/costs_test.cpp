// What a cure costs: medians of pairs, and the cheapest of several.
#include "harness/report/costs.h"

#include <gtest/gtest.h>

#include "harness/report/json.h"
#include "harness/report/table.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

void add(Results& results, const char* variant, std::vector<double> costs) {
  int repetition = 0;
  for (const double cost : costs) {
    Run run = healthy(variant, "fix", 100 * cost);
    run.repetition = repetition++;
    run.fix_cost = cost;
    results.runs.push_back(run);
  }
}

TEST(Costs, AreMediansWithQuartilesAndExtremes) {
  Results results;
  add(results, "join", {1.5, 1.1, 1.2, 1.3, 1.4});
  results.runs.push_back(healthy("even", "control", 100));
  const auto costs = costs_of(results.runs);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].variant, "join");
  EXPECT_DOUBLE_EQ(costs[0].ratio.median, 1.3);
  EXPECT_DOUBLE_EQ(costs[0].ratio.lower, 1.2);
  EXPECT_DOUBLE_EQ(costs[0].ratio.upper, 1.4);
  EXPECT_DOUBLE_EQ(costs[0].ratio.least, 1.1);
  EXPECT_EQ(costs[0].ratio.count, 5U);
  EXPECT_FALSE(costs[0].is_cheapest);  // there is no other to be cheaper than
}

TEST(Costs, NameTheCheapestAndWhetherItIsClear) {
  Results clear;
  add(clear, "join", {1.4, 1.5, 1.6});
  add(clear, "drop_last", {1.0, 1.1, 1.2});
  const auto costs = costs_of(clear.runs);
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(rank_text(costs[0]), "");
  EXPECT_EQ(rank_text(costs[1]), "cheapest");
  add(clear, "padding", {1.0, 1.12, 1.3});
  EXPECT_EQ(rank_text(costs_of(clear.runs)[1]), "cheapest, not clearly");
}

TEST(Costs, OfDifferentNumbersOfRanksAreNotCompared) {
  Results results;
  add(results, "join", {1.4, 1.5});
  add(results, "drop_last", {1.0, 1.1});
  results.runs[0].ranks = results.runs[1].ranks = 8;
  for (const Cost& cost : costs_of(results.runs)) EXPECT_FALSE(cost.is_cheapest);
}

TEST(Costs, AreInTheTableAndInTheResultsFile) {
  Results results;
  add(results, "join", {1.4, 1.5, 1.6});
  EXPECT_NE(table(results).find("1.50x (1.45-1.55), n=3"), std::string::npos) << table(results);
  const std::string json = to_json(results);
  EXPECT_NE(json.find("\"lower_quartile\": 1.45"), std::string::npos) << json;
  // They are made of the runs: nothing is lost on the way.
  EXPECT_EQ(to_json(from_json(json)), json);
  Results once;
  add(once, "join", {1.4});
  EXPECT_EQ(table(once).find("Cost of the cures"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
