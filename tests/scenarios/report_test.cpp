// What a rank's report contains.
#include "scenarios/runtime/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gridlock {
namespace {

using Json = nlohmann::json;

TEST(Report, SaysWhatWasMeasured) {
  Report report;
  report.figure("samples_lost", 3);
  report.begin_steps();
  for (int step = 0; step < 3; ++step) {
    report.add_wait(std::chrono::microseconds(10 * (step + 1)));
    report.step_done();
  }
  const Json json = Json::parse(report.json("completed", ""));
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["numbers"], "unchecked");
  EXPECT_EQ(json["figures"]["samples_lost"], 3);
  EXPECT_EQ(json["figures"]["steps"], 3);
  EXPECT_EQ(json["figures"]["wait_time_us"], 20);
  EXPECT_GT(json["figures"]["step_time_us"], 0);
}

TEST(Report, OneWrongNumberIsEnough) {
  Report report;
  report.numbers(true, "first");
  EXPECT_EQ(Json::parse(report.json("completed", ""))["numbers"], "right");
  report.numbers(false, "second");
  report.numbers(true, "third");
  const Json json = Json::parse(report.json("completed", ""));
  EXPECT_EQ(json["numbers"], "wrong");
  EXPECT_EQ(json["numbers_detail"], "second");
}

TEST(Report, ForgetsAnotherPhase) {
  Report report;
  report.step_done();
  report.forget_steps();
  report.step_done();
  EXPECT_EQ(Json::parse(report.json("completed", ""))["figures"]["steps"], 1);
}

TEST(Report, SaysThatThePortWasTaken) {
  Report report;
  EXPECT_EQ(Json::parse(report.json("failed", ""))["port_taken"], false);
  report.port_taken();
  EXPECT_EQ(Json::parse(report.json("failed", ""))["port_taken"], true);
}

TEST(Report, KeepsAReasonThatIsNotUtf8) {
  EXPECT_EQ(Json::parse(Report().json("failed", "bad \xff byte"))["status"], "failed");
}

}  // namespace
}  // namespace gridlock
