// `gridlock soak` as a user runs it.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/end_to_end/acceptance.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

TEST(Soak, FindsNothingWrongWithWhatIsRight) {
  const Folder folder;
  const Done done = gridlock({"soak", "--backend", "sim", "--for", "3s", "--seed", "7", "--output",
                              "out", "uneven_batches", "healthy_training"},
                             folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const Json json = read_json(folder.path() / "out" / "soak.json");
  EXPECT_EQ(json.at("schema"), "gridlock.soak/2");
  EXPECT_EQ(json.at("seed"), 7);
  EXPECT_EQ(json.at("total").at("false_alarms"), 0);
  EXPECT_GT(json.at("total").at("runs"), 0);
  EXPECT_EQ(json.at("total").at("runs"), json.at("total").at("as_declared"));
  EXPECT_GT(json.at("delays"), 0);
  EXPECT_NE(done.output.find("seed 7"), std::string::npos);
}

TEST(Soak, SaysWhatItFoundAlsoWhereItCannotBeWritten) {
  const Folder folder;
  fs::create_directory(folder.path() / "gone");
  make_installation(folder.path() / "home",
                    {{"lessons", scripted({.name = "lessons"}, "rm -rf gone\n" + kCompletes)}});
  const Done done =
      gridlock({"soak", "--backend", "sim", "--for", "300ms", "--json", "gone/x.json"}, folder,
               {{"GRIDLOCK_HOME", (folder.path() / "home").string()}});
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("0 false alarms"), std::string::npos) << done.output;
}

TEST(Soak, EndsWithItsReportOnCtrlC) {
  const Folder folder;
  Command command({"soak", "--backend", "sim", "--for", "1h", "--output", "out", "uneven_batches"},
                  folder);
  ASSERT_TRUE(command.wait_for("Soak of"));
  kill(command.pid(), SIGINT);
  const Done done = command.finish();
  EXPECT_NE(done.output.find("Ended early: ended by SIGINT"), std::string::npos) << done.output;
  EXPECT_TRUE(fs::exists(folder.path() / "out" / "soak.md"));
  EXPECT_TRUE(command.all_gone());
}

// Not even a rank that is stopped at that moment is left.
TEST(Soak, AKilledAgentLeavesNothing) {
  const Folder folder;
  Command command({"soak", "--backend", "sim", "--for", "1h", "--output", "out",
                   "uneven_sequence_lengths/slow_rank"},
                  folder);
  ASSERT_TRUE(command.wait_for("Soak of"));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  EXPECT_TRUE(command.all_gone());
}

}  // namespace
}  // namespace gridlock::end_to_end
