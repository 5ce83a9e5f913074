// Acceptances that are interrupted, and resumed.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/end_to_end/acceptance.h"

namespace gridlock::end_to_end {
namespace {

// Answers, in the order of the checks.
std::vector<std::string> answers(const Json& json) {
  std::vector<std::string> all;
  for (const Json& check : json.at("checks")) {
    all.push_back(check.at("id").get<std::string>() + " " + check.at("answer").get<std::string>() +
                  " " + std::to_string(check.at("runs").get<int>()));
  }
  return all;
}

TEST(AcceptResume, AnInterruptedRunGoesOnAndEqualsAnUninterruptedOne) {
  const std::string profile =
      "[[scenario]]\nrun = [\"uneven_batches/drop_last\", \"uneven_batches/peers_leave\", "
      "\"uneven_batches/stop_together\"]\nrepeat = 5\n";
  const Folder folder;
  ASSERT_EQ(accept(folder, profile).code, 0);
  const auto whole = answers(results(folder));
  {
    Command command({"accept", "p.toml", "--output", "two"}, folder);
    ASSERT_TRUE(command.wait_for("uneven_batches/drop_last@4:"));
    kill(command.pid(), SIGINT);
    const Done done = command.finish();
    EXPECT_EQ(done.code, 3) << done.output;
    EXPECT_NE(done.output.find("--resume two"), std::string::npos) << done.output;
    EXPECT_TRUE(command.all_gone());
  }
  EXPECT_LT(read_json(folder.path() / "two/acceptance.json").at("checks").size(), 3U);
  // Another selection is another run.
  EXPECT_EQ(gridlock({"accept", "p.toml", "--resume", "two", "--shard", "1/3"}, folder).code, 2);
  const Done done = gridlock({"accept", "p.toml", "--resume", "two"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(answers(read_json(folder.path() / "two/acceptance.json")), whole);
}

TEST(AcceptResume, AKilledAgentLeavesNothingAndTheRunGoesOn) {
  const Folder folder;
  write(folder.path() / "p.toml",
        "summary = \"a test\"\nbackend = \"sim\"\n[[scenario]]\nrepeat = 5\n"
        "run = [\"uneven_batches/drop_last\", \"uneven_batches/join\"]\n");
  Command command({"accept", "p.toml", "--output", "out"}, folder);
  ASSERT_TRUE(command.wait_for("uneven_batches/drop_last@4:"));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  EXPECT_TRUE(command.all_gone());
  const Done done = gridlock({"accept", "p.toml", "--resume", "out"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(results(folder).at("checks").size(), 2U);
}

}  // namespace
}  // namespace gridlock::end_to_end
