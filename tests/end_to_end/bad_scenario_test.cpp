// Scenario programs that misbehave: each gets one sentence, and the others still run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/end_to_end/command.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

struct Outcome {
  Done done;
  nlohmann::json results;
};

Outcome run(const Folder& folder, const std::map<std::string, std::string>& scripts,
            const std::vector<std::string>& more = {}) {
  make_installation(folder.path() / "home", scripts);
  std::vector<std::string> arguments{"run", "--json", "out.json", "--junit", "out.xml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Done done = gridlock(arguments, folder, {{"GRIDLOCK_HOME", folder.path() / "home"}});
  return {.done = std::move(done), .results = read_json(folder.path() / "out.json")};
}

TEST(BadScenario, OneThatDoesNotDescribeItselfCostsOnlyItself) {
  const Folder folder;
  const Outcome outcome = run(folder, {{"crashes", "kill -SEGV $$"},
                                       {"garbage", "echo hello"},
                                       {"leaves", "exit 5"},
                                       {"other_schema", "echo '{\"schema\":\"x\"}'"},
                                       {"sound", scripted({}, kCompletes)}});
  EXPECT_EQ(outcome.done.code, 3) << outcome.done.output;
  const std::map<std::string, std::string> says{
      {"crashes", "it crashed (Segmentation fault)"},
      {"garbage", "it is not a description"},
      {"leaves", "it exited with code 5"},
      {"other_schema", "its schema is not gridlock.scenario/1"}};
  int judged = 0;
  for (const auto& one : outcome.results.at("runs")) {
    const auto name = one.at("scenario").get<std::string>();
    if (name == "sound") {
      ++judged;
      EXPECT_EQ(one.at("as_declared"), true) << one;
      continue;
    }
    EXPECT_EQ(one.at("status"), "error") << one;
    EXPECT_NE(one.at("reason").get<std::string>().find(says.at(name)), std::string::npos) << one;
  }
  EXPECT_EQ(judged, 1);
  EXPECT_EQ(outcome.results.at("summary").at("errors"), 4);
}

// For example with a recorder that was built for another system, or that is just being built.
TEST(BadScenario, OneThatCannotBeRecordedIsNoStall) {
  const Folder folder;
  const std::filesystem::path home = folder.path() / "home";
  make_installation(home, {{"sound", scripted({}, "sleep 1000")}});
  std::filesystem::remove(home / "libgridlock_recorder.so");
  std::ofstream(home / "libgridlock_recorder.so") << "no library";
  const Done done = gridlock({"run", "--json", "out.json", "--stall-limit", "100ms"}, folder,
                             {{"GRIDLOCK_HOME", home}});
  EXPECT_EQ(done.code, 3) << done.output;
  const auto run = read_json(folder.path() / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("status"), "error") << run;
  EXPECT_NE(run.at("reason").get<std::string>().find("could not be loaded into rank 0"),
            std::string::npos)
      << run;
}

TEST(BadScenario, OneThatNeverAnswersIsGivenUp) {
  const Folder folder;
  const Outcome outcome =
      run(folder, {{"silent", "sleep 1000"}, {"sound", scripted({}, kCompletes)}});
  EXPECT_EQ(outcome.done.code, 3);
  EXPECT_NE(outcome.done.output.find("it gave no answer within"), std::string::npos)
      << outcome.done.output;
}

TEST(BadScenario, OneThatCrashesInARunDiffers) {
  const Folder folder;
  const Outcome outcome = run(folder, {{"crashes", scripted({}, "kill -ABRT $$")}});
  EXPECT_EQ(outcome.done.code, 1) << outcome.done.output;
  EXPECT_EQ(outcome.results.at("runs").at(0).at("outcome"), "crashes");
}

TEST(BadScenario, OneThatNeverBecomesReadyIsAStall) {
  const Folder folder;
  const Outcome outcome =
      run(folder, {{"slow", scripted({}, "sleep 1000")}}, {"--stall-limit", "200ms"});
  EXPECT_EQ(outcome.done.code, 1) << outcome.done.output;
  EXPECT_EQ(outcome.results.at("runs").at(0).at("outcome"), "stall");
}

TEST(BadScenario, AReportThatIsNoneIsAnError) {
  const Folder folder;
  const Outcome outcome = run(folder, {{"odd", scripted({}, "echo nonsense >&3")}});
  EXPECT_EQ(outcome.done.code, 3) << outcome.done.output;
  EXPECT_EQ(outcome.results.at("runs").at(0).at("status"), "error");
}

// Runs kept as examples of declared failures take no room from runs that went wrong.
TEST(BadScenario, ABadRunIsKeptAfterFiftyDeclaredFailures) {
  const Folder folder;
  std::map<std::string, std::string> scripts;
  for (int i = 0; i < 50; ++i) {
    scripts["fails" + std::to_string(i)] =
        scripted({.name = "x", .role = "broken", .outcome = "fails", .ranks = 1}, "exit 1");
  }
  const std::string mark = folder.path() / "been";
  scripts["second"] =
      scripted({.ranks = 1}, "[ -e " + mark + " ] && exit 1; touch " + mark + "; " + kCompletes);
  const Outcome outcome = run(folder, scripts, {"--repeat", "2", "--output", "out"});
  EXPECT_EQ(outcome.done.code, 1) << outcome.done.output;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/runs/second.again.n1.1"))
      << outcome.done.output;
}

TEST(BadScenario, NothingThatCanRunHereIsSaidByTheExitCode) {
  const Folder folder;
  const Outcome outcome =
      run(folder,
          {{"skips",
            scripted({}, R"(echo '{"status":"skipped","reason":"needs a GPU"}' >&3; exit 77)")}});
  EXPECT_EQ(outcome.done.code, 77) << outcome.done.output;
  EXPECT_EQ(outcome.results.at("runs").at(0).at("reason"), "needs a GPU");
}

TEST(BadScenario, ABackEndThatIsNotBuiltCannotRun) {
  const Folder folder;
  make_installation(folder.path() / "home", {{"sound", scripted({}, kCompletes)}});
  const Done done =
      gridlock({"run", "--backend", "cuda"}, folder, {{"GRIDLOCK_HOME", folder.path() / "home"}});
  EXPECT_EQ(done.code, 77) << done.output;
  EXPECT_NE(done.output.find("no scenarios of the back end cuda"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::end_to_end
