// The observer check from the outside. It finds a job that hangs, or ends, only under the recorder.
// It does not accuse a job that ends the same way in both runs.
#include <gtest/gtest.h>

#include "tests/end_to_end/command.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

// One broken variant that declares `outcome` and runs `body`. If GRIDLOCK_BOXES is set, the
// recorder is there.
std::string scenario(const std::string& outcome, const std::string& body) {
  return scripted({.variant = "bug", .role = "broken", .outcome = outcome}, body);
}

constexpr const char* kFails = R"(echo '{"status":"failed","reason":"said so"}' >&3; exit 1)";

nlohmann::json observed(const std::string& script, int& code) {
  const Folder folder;
  make_installation(folder.path() / "home", {{"one", script}});
  const Done done = gridlock(
      {"run", "--observer-check", "--stall-limit", "600ms", "--run-limit", "4s", "--output", "out"},
      folder, {{"GRIDLOCK_HOME", folder.path() / "home"}});
  code = done.code;
  const auto runs = read_json(folder.path() / "out" / "results.json").at("runs");
  EXPECT_EQ(runs.size(), 1U) << done.output;
  EXPECT_NE(done.output.find("observer check: "), std::string::npos) << done.output;
  return runs.at(0).at("observer");
}

TEST(ObserverCheck, EndsThatAreAlikePass) {
  int code = -1;
  const auto observer = observed(scenario("fails", kFails), code);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(observer.at("recorded"), "fails");
  EXPECT_EQ(observer.at("unrecorded"), "fails");
  EXPECT_EQ(observer.at("agrees"), true);
}

TEST(ObserverCheck, AHangIsSilentBothWays) {
  int code = -1;
  const auto observer = observed(scenario("stall", "sleep 1000"), code);
  EXPECT_EQ(observer.at("recorded"), "silent");
  EXPECT_EQ(observer.at("unrecorded"), "silent");
  EXPECT_EQ(observer.at("agrees"), true);
}

TEST(ObserverCheck, AHangThatTheRecorderMakesIsFound) {
  int code = -1;
  const auto observer = observed(
      scenario("stall", std::string("[ -n \"$GRIDLOCK_BOXES\" ] && sleep 1000\n") + kFails), code);
  EXPECT_EQ(code, 1);
  EXPECT_EQ(observer.at("recorded"), "silent");
  EXPECT_EQ(observer.at("unrecorded"), "fails");
  EXPECT_EQ(observer.at("agrees"), false);
}

TEST(ObserverCheck, AHangThatTheRecorderPreventsIsFound) {
  int code = -1;
  const auto observer = observed(
      scenario("fails", std::string("[ -z \"$GRIDLOCK_BOXES\" ] && sleep 1000\n") + kFails), code);
  EXPECT_EQ(code, 1);
  EXPECT_EQ(observer.at("unrecorded"), "silent");
}

TEST(ObserverCheck, OfTheSimulationsOwn) {
  const Folder folder;
  const Done done = gridlock(
      {"run", "--observer-check", "--backend", "sim", "--output", "out",
       "send_recv_order/large_messages", "send_recv_order/ordered", "nan_loss_skip/skip_alone"},
      folder);
  EXPECT_NE(done.output.find("observer check: 3 runs end alike"), std::string::npos) << done.output;
  int checked = 0;
  const auto runs = read_json(folder.path() / "out" / "results.json").at("runs");
  for (const auto& run : runs) {
    if (run.at("role") != "broken" && run.at("role") != "fix") continue;
    ++checked;
    EXPECT_EQ(run.at("observer").at("agrees"), true) << run;
  }
  EXPECT_EQ(checked, 3);
}

}  // namespace
}  // namespace gridlock::end_to_end
