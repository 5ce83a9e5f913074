// Reading what a rank reports about itself.
#include "harness/run/start/rank_report.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(RankReport, IsOneObject) {
  const RankReport report = parse_report(
      R"({"status":"failed","reason":"r","numbers":"wrong","numbers_detail":"d",
          "figures":{"step_time_us":1.5,"text":"no"}})");
  EXPECT_EQ(report.status, RankReport::Status::failed);
  EXPECT_EQ(report.numbers, RankReport::Numbers::wrong);
  EXPECT_EQ(report.figures.size(), 1U);
  EXPECT_EQ(report.damage, "");
}

TEST(RankReport, KnowsAPortThatWasTaken) {
  EXPECT_TRUE(parse_report(R"({"status":"failed","port_taken":true})").port_taken);
  EXPECT_FALSE(parse_report(R"({"status":"failed","port_taken":false})").port_taken);
  EXPECT_FALSE(parse_report(R"({"status":"failed","port_taken":"no"})").port_taken);
  EXPECT_FALSE(parse_report(R"({"status":"failed"})").port_taken);
}

TEST(RankReport, SaysWhenItIsNone) {
  EXPECT_EQ(parse_report("").damage, "");
  EXPECT_EQ(parse_report("").status, RankReport::Status::none);
  EXPECT_NE(parse_report("nonsense").damage, "");
  EXPECT_NE(parse_report("{\"status\":").damage, "");
  EXPECT_NE(parse_report("{}").damage, "");
}

}  // namespace
}  // namespace gridlock::run
