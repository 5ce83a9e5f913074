// What a cure costs: medians of pairs, and the cheapest of several.
#include "harness/report/figures/costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "harness/report/formats/json.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

void add(Results& results, const char* variant, const std::vector<double>& costs) {
  int repetition = 0;
  for (const double cost : costs) {
    Run run = healthy(variant, "fix", 100 * cost);
    run.repetition = repetition++;
    run.fix_cost = cost;
    run.control = "even";
    results.runs.push_back(run);
  }
}

const Cost& of(const std::vector<Cost>& costs, const std::string& variant) {
  const auto found = std::find_if(costs.begin(), costs.end(),
                                  [&](const Cost& cost) { return cost.variant == variant; });
  if (found == costs.end()) throw std::runtime_error("no cost of " + variant);
  return *found;
}

TEST(Costs, AreMediansWithQuartilesAndExtremes) {
  Results results;
  add(results, "join", {1.5, 1.1, 1.2, 1.3, 1.4});
  results.runs.push_back(healthy("even", "control", 100));
  const auto costs = costs_of(results.runs);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].variant, "join");
  EXPECT_EQ(costs[0].control, "even");
  ASSERT_TRUE(costs[0].ratio);
  EXPECT_DOUBLE_EQ(costs[0].ratio->median, 1.3);
  EXPECT_DOUBLE_EQ(costs[0].ratio->lower, 1.2);
  EXPECT_DOUBLE_EQ(costs[0].ratio->upper, 1.4);
  EXPECT_DOUBLE_EQ(costs[0].ratio->least, 1.1);
  EXPECT_EQ(costs[0].ratio->count, 5U);
  EXPECT_EQ(to_text(cheapest_of(costs).at(0)),
            "cheapest cure: join (1.30x), the only one measured");
}

TEST(Costs, NameTheCheapestOfSeveral) {
  Results clear;
  add(clear, "join", {1.4, 1.5, 1.6});
  add(clear, "drop_last", {1.05, 1.1, 1.2});
  const auto cheapest = cheapest_of(costs_of(clear.runs));
  ASSERT_EQ(cheapest.size(), 1U);
  EXPECT_EQ(to_text(cheapest[0]), "cheapest cure: drop_last (1.10x)");
}

TEST(Costs, CallNoDifferenceWhatIsWithinTheSpread) {
  Results close;
  add(close, "join", {1.4, 1.5, 1.6});
  add(close, "drop_last", {1.05, 1.1, 1.2});
  add(close, "padding", {1.0, 1.12, 1.3});
  add(close, "stop", {1.1, 1.15, 1.2});
  EXPECT_EQ(to_text(cheapest_of(costs_of(close.runs)).at(0)),
            "cheapest cure: drop_last (1.10x); no difference measured to padding and stop");
}

TEST(Costs, NearOneAreNoMeasurableCost) {
  Results results;
  add(results, "join", {0.9, 0.98, 1.1});
  EXPECT_EQ(to_text(cheapest_of(costs_of(results.runs)).at(0)),
            "cheapest cure: join (0.98x, which is no measurable cost), the only one measured");
}

TEST(Costs, OfDifferentNumbersOfRanksAreNotCompared) {
  Results results;
  add(results, "join", {1.4, 1.5});
  add(results, "drop_last", {1.0, 1.1});
  results.runs[0].ranks = results.runs[1].ranks = 8;
  const auto cheapest = cheapest_of(costs_of(results.runs));
  ASSERT_EQ(cheapest.size(), 2U);
  for (const Cheapest& each : cheapest) EXPECT_EQ(each.measured, 1);
}

TEST(Costs, SayWhyThereIsNone) {
  Results results;
  add(results, "join", {1.4, 1.5});
  results.runs.push_back(healthy("untimed", "fix", 0));
  results.runs.back().step_time_us.reset();
  results.runs.push_back(results.runs.back());
  results.runs.back().variant = "ends";
  results.runs.back().verdict.outcome = detect::Outcome::fails;
  results.runs.push_back(healthy("alone", "fix", 100));
  results.runs.push_back(healthy("not_run", "fix", 100));
  results.runs.back().control = "elsewhere";
  results.runs.push_back(skipped());
  results.runs.back().role = "fix";
  const auto costs = costs_of(results.runs);
  EXPECT_EQ(of(costs, "untimed").why_not, "it times no steps");
  EXPECT_EQ(of(costs, "ends").why_not, "it times no steps, and ends so: fails");
  EXPECT_EQ(of(costs, "alone").why_not, "its scenario has no control with this number of ranks");
  EXPECT_EQ(of(costs, "not_run").why_not, "its control elsewhere was not run (--cost runs it)");
  EXPECT_EQ(of(costs, "needs_three").why_not, "skipped: needs at least 3 ranks");
  EXPECT_EQ(of(costs, "join").why_not, "");
  EXPECT_NE(table(results).find("untimed                       -  not measured: it times no steps"),
            std::string::npos)
      << table(results);
}

TEST(Costs, AreInTheTableTheReportAndTheResultsFile) {
  Results results;
  add(results, "join", {1.4, 1.5, 1.6});
  for (const std::string& text : {table(results), to_markdown(results)}) {
    EXPECT_NE(text.find("1.50x"), std::string::npos) << text;
    EXPECT_NE(text.find("1.45-1.55"), std::string::npos) << text;
    EXPECT_NE(text.find("cheapest cure: join (1.50x), the only one measured"), std::string::npos)
        << text;
  }
  const std::string json = to_json(results);
  EXPECT_NE(json.find("\"lower_quartile\": 1.45"), std::string::npos) << json;
  EXPECT_NE(json.find("\"cheapest_cures\": [\n  {"), std::string::npos) << json;
  // The costs are computed from the runs, so nothing is lost on the way.
  EXPECT_EQ(to_json(from_json(json)), json);
  Results once;
  add(once, "join", {1.4});
  EXPECT_EQ(table(once).find("Cost of the cures"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
