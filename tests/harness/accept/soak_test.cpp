// The counts of a soak, and slopes.
#include "harness/accept/soak.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "harness/accept/formats/sheet.h"
#include "harness/base/error.h"
#include "tests/harness/accept/checks.h"

namespace gridlock::accept {
namespace {

TEST(Soak, AHangOfWhatIsRightIsAFalseAlarm) {
  SoakTally tally;
  tally.add(good_run(), 0, 1800);
  tally.add(bad_run(detect::Outcome::stall), 1800, 900);
  tally.add(bad_run(detect::Outcome::fails), 2700, 900);
  report::Run error = good_run();
  error.status = report::Status::error;
  tally.add(error, 3600, 0);
  report::Run skipped = good_run();
  skipped.status = report::Status::skipped;
  tally.add(skipped, 3600, 3600);
  const Soaked total = tally.total();
  EXPECT_EQ(total.runs, 4);
  EXPECT_EQ(total.as_declared, 1);
  EXPECT_EQ(total.false_alarms, 1);
  EXPECT_EQ(total.others, 1);
  EXPECT_EQ(total.errors, 1);
  EXPECT_DOUBLE_EQ(tally.rank_hours(), 4);
  EXPECT_EQ(tally.odd().size(), 3U);
  EXPECT_NE(alarm_text(tally).find("1 false alarms in 4 rank-hours: 0.25"), std::string::npos);
  EXPECT_EQ(exit_code(tally), 1);
}

TEST(Soak, WithoutAnAlarmTheRateIsBounded) {
  SoakTally tally;
  EXPECT_EQ(exit_code(tally), 4);
  tally.add(good_run(), 0, 3600);
  EXPECT_NE(alarm_text(tally).find("below 0.75 per rank-hour"), std::string::npos);
  EXPECT_EQ(exit_code(tally), 0);
}

TEST(Soak, DriftIsRelativeToEachVariant) {
  SoakTally tally;
  for (int i = 0; i < 50; ++i) {
    for (const double step : {100.0, 4000.0}) {
      report::Run run = good_run();
      run.variant = step < 1000 ? "short" : "long";
      // 10 % an hour, over an hour.
      run.step_time_us = step * (1 + 0.1 * i / 50.0);
      tally.add(run, i * 72.0, 1);
    }
  }
  const auto drift = tally.drift();
  ASSERT_TRUE(drift.has_value());
  EXPECT_NEAR(drift->median, 0.095, 0.005);  // of the median, which is in the middle
  EXPECT_GT(drift->lower, 0.05);
}

TEST(Soak, ReportsAsJson) {
  Soaking soaking;
  soaking.seed = 7;
  soaking.tally.add(good_run(), 0, 1);
  const auto json = nlohmann::json::parse(to_json(soaking));
  EXPECT_EQ(json.at("schema"), "gridlock.soak/2");
  EXPECT_EQ(json.at("total").at("runs"), 1);
  EXPECT_TRUE(json.at("step_time_drift").is_null());
  EXPECT_NE(to_text(soaking).find("seed 7"), std::string::npos);
}

TEST(SoakSheet, IsReadFromTheFile) {
  Soaking soaking;
  soaking.context.host = "node-a";
  soaking.tally.add(good_run(), 0, 1);
  report::Run measured = good_run();
  measured.step_time_us = 120;
  soaking.tally.add(measured, 1, 1);
  const SoakSheet well = soak_sheet(to_json(soaking), "soak.json");
  EXPECT_EQ(well.context.host, "node-a");
  EXPECT_EQ(well.sheet.answer, "all as declared");
  ASSERT_EQ(well.sheet.rows.size(), 1U);
  EXPECT_EQ(well.sheet.rows[0].cells.at(0), "2");
  EXPECT_EQ(well.sheet.rows[0].cells.size(), well.sheet.columns.size());
  EXPECT_NE(well.sheet.rows[0].cells.back().find("120"), std::string::npos);
  soaking.tally.add(bad_run(detect::Outcome::stall), 2, 1);
  const SoakSheet bad = soak_sheet(to_json(soaking), "soak.json");
  EXPECT_EQ(bad.sheet.tone, report::Tone::bad);
  ASSERT_EQ(bad.sheet.findings.size(), 1U);
  EXPECT_NE(bad.sheet.findings[0].evidence.find("Rank 2 is gone."), std::string::npos);
}

TEST(SoakSheet, OfNothingIsNoSuccess) {
  EXPECT_EQ(soak_sheet(to_json(Soaking{}), "soak.json").sheet.tone, report::Tone::open);
}

TEST(SoakSheet, DamageIsSaid) {
  for (const char* bad : {"", "[]", "{}", R"({"schema":"gridlock.soak/1"})",
                          R"({"schema":"gridlock.soak/2","context":3})"}) {
    EXPECT_THROW(soak_sheet(bad, "f"), UsageError) << bad;
  }
}

TEST(Slope, OddPointsDoNotMoveIt) {
  std::vector<Point> points(100);
  for (int i = 0; i < 100; ++i) {
    points[static_cast<std::size_t>(i)] = {.at = i * 1.0, .value = 5 + 2.0 * i};
  }
  for (int i = 0; i < 100; i += 7) points[static_cast<std::size_t>(i)].value = 1e6;
  const auto slope = slope_of(points);
  ASSERT_TRUE(slope.has_value());
  EXPECT_NEAR(slope->median, 2, 0.1);
  EXPECT_LE(slope->lower, 2);
  EXPECT_GE(slope->upper, 2);
}

// It is a 95 % interval: for noise without a slope, it contains zero about that often.
TEST(Slope, TheIntervalHoldsTheTruth) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise;
  int held = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Point> points(30);
    for (int i = 0; i < 30; ++i) {
      points[static_cast<std::size_t>(i)] = {.at = i * 1.0, .value = noise(random)};
    }
    const auto slope = slope_of(points);
    held += slope->lower <= 0 && slope->upper >= 0 ? 1 : 0;
  }
  EXPECT_GT(held, kTrials * 90 / 100);
  EXPECT_LT(held, kTrials);
}

TEST(Slope, TooFewPointsSayNothing) {
  EXPECT_FALSE(slope_of({{0, 1}, {1, 2}, {2, 3}}).has_value());
  EXPECT_FALSE(slope_of({{0, 1}, {0, 2}, {0, 3}, {0, 4}}).has_value());
}

}  // namespace
}  // namespace gridlock::accept
