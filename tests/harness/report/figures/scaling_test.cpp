// The scaling run: the figures, and which claims they support.
#include "harness/report/figures/scaling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/formats/json.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

// Every rank has its own GPU, until a test says otherwise.
Results on_gpus() {
  Results results;
  results.context.backend = "cuda";
  return results;
}

void add(Results& results, int ranks, const std::vector<double>& speed_ups, double step_us = 1000) {
  for (const double speed_up : speed_ups) {
    Run run = healthy("scaling", "control", step_us);
    run.scenario = "healthy_training";
    run.ranks = ranks;
    // One rank looks at its clock late, so the median of the ranks counts.
    run.figures["speed_up"] = std::vector<double>(static_cast<std::size_t>(ranks), speed_up);
    if (ranks > 2) run.figures["speed_up"].back() *= 2;
    run.figures["samples_per_step"] = std::vector<double>(static_cast<std::size_t>(ranks), 32);
    results.runs.push_back(run);
  }
}

Results one_to_eight() {
  Results results = on_gpus();
  add(results, 1, {0.98}, 1000);
  add(results, 2, {1.7, 1.85, 1.9}, 1080);
  add(results, 4, {3.2}, 1250);
  add(results, 8, {7.9}, 1010);
  return results;
}

TEST(Scaling, HasRateSpeedUpEfficiencyAndStanding) {
  const auto rows = scaling_of(one_to_eight());
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].ranks, 1);
  EXPECT_FALSE(rows[0].promise);
  EXPECT_FALSE(rows[0].standing);
  ASSERT_TRUE(rows[0].samples_per_second);
  EXPECT_DOUBLE_EQ(*rows[0].samples_per_second, 32000);
  EXPECT_DOUBLE_EQ(rows[1].speed_up.median, 1.85);
  EXPECT_EQ(rows[1].speed_up.count, 3U);
  EXPECT_DOUBLE_EQ(rows[1].efficiency(), 0.925);
  EXPECT_DOUBLE_EQ(*rows[1].samples_per_second, 64 * 1e6 / 1080);
  EXPECT_EQ(rows[1].standing, Standing::inside);
  EXPECT_DOUBLE_EQ(rows[2].speed_up.median, 3.2);
  EXPECT_EQ(rows[2].standing, Standing::below);
  EXPECT_EQ(rows[3].standing, Standing::above);
}

TEST(Scaling, TheEndsOfAPromiseAreInsideIt) {
  for (const Promise& promise : kPromisedSpeedUps) {
    Results results = on_gpus();
    add(results, promise.ranks, {promise.least});
    EXPECT_EQ(scaling_of(results).at(0).standing, Standing::inside) << promise.ranks;
    results = on_gpus();
    add(results, promise.ranks, {promise.greatest});
    EXPECT_EQ(scaling_of(results).at(0).standing, Standing::inside) << promise.ranks;
  }
}

TEST(Scaling, WithoutAGpuForEachRankIsNoFigureOfGpus) {
  Results shared = one_to_eight();
  shared.context.shared_gpu = true;
  Results simulated = one_to_eight();
  simulated.context.backend = "sim";
  for (const Results& results : {shared, simulated}) {
    EXPECT_FALSE(why_no_gpu_scaling(results.context).empty());
    for (const Scaling& row : scaling_of(results)) EXPECT_FALSE(row.standing) << row.ranks;
    for (const std::string& text : {scaling_text(results), scaling_markdown(results)}) {
      EXPECT_NE(text.find("No figure of GPUs:"), std::string::npos) << text;
      EXPECT_EQ(text.find("inside"), std::string::npos) << text;
      EXPECT_EQ(text.find("below"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(why_no_gpu_scaling(on_gpus().context), "");
}

TEST(Scaling, IsATableOnTheTerminal) {
  EXPECT_EQ(
      scaling_text(one_to_eight()),
      "Scaling\n"
      "    ranks  step us  samples/s  speed-up (quartiles)    efficiency  C8 promises  measured "
      "is\n"
      "  healthy_training/scaling\n"
      "    1      1000     32000      0.98x (0.98-0.98, n=1)  98 %        -            -\n"
      "    2      1080     59259      1.85x (1.77-1.88, n=3)  92 %        1.8-1.9x     inside\n"
      "    4      1250     102400     3.20x (3.20-3.20, n=1)  80 %        3.5-3.8x     below\n"
      "    8      1010     253465     7.90x (7.90-7.90, n=1)  99 %        7.0-7.5x     above\n"
      "  Weak scaling: each rank's batch stays the same, so with more ranks a step takes in more "
      "samples.\n"
      "  Speed-up is their rate over that of one rank alone, efficiency the speed-up over the "
      "ranks. "
      "Strong\n"
      "  scaling (one batch cut up among the ranks) is not measured.\n");
}

TEST(Scaling, IsInTheTableTheReportAndTheResultsFile) {
  const Results results = one_to_eight();
  EXPECT_NE(table(results).find(scaling_text(results)), std::string::npos);
  EXPECT_NE(to_markdown(results).find("\n## Scaling\n\nWeak scaling"), std::string::npos);
  EXPECT_NE(to_markdown(results).find(
                "| `healthy_training/scaling` | 4 | 1250 | 102400 | 3.20x (3.20-3.20, n=1) | 80 % "
                "| 3.5-3.8x | below |\n"),
            std::string::npos)
      << to_markdown(results);
  const std::string text = to_json(results);
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json.at("no_gpu_scaling").is_null());
  ASSERT_EQ(json.at("scaling").size(), 4U);
  EXPECT_TRUE(json["scaling"][0].at("promised").is_null());
  EXPECT_TRUE(json["scaling"][0].at("inside").is_null());
  EXPECT_EQ(json["scaling"][1].at("promised"), (nlohmann::json{1.8, 1.9}));
  EXPECT_EQ(json["scaling"][1].at("inside"), true);
  EXPECT_EQ(json["scaling"][3].at("inside"), false);
  EXPECT_DOUBLE_EQ(json["scaling"][2].at("efficiency"), 0.8);
  // The table is computed from the runs, so nothing is lost on the way.
  EXPECT_EQ(to_json(from_json(text)), text);
}

TEST(Scaling, OneNumberOfRanksIsNoTable) {
  Results results = on_gpus();
  add(results, 4, {3.6, 3.7});
  EXPECT_EQ(scaling_of(results).size(), 1U);
  EXPECT_EQ(scaling_text(results), "");
  EXPECT_EQ(scaling_markdown(results), "");
  EXPECT_EQ(scaling_text(session()), "");
}

TEST(Scaling, ResultsWithoutABatchSizeHaveNoRate) {
  Results results = on_gpus();
  add(results, 2, {1.85});
  results.runs.front().figures.erase("samples_per_step");
  const auto rows = scaling_of(results);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].samples_per_second);
}

}  // namespace
}  // namespace gridlock::report
