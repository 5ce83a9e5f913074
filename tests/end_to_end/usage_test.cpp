// Wrong usage: one clear sentence, exit code 2, and nothing started.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  const char* says;
};

class WrongUsage : public testing::TestWithParam<Case> {};

TEST_P(WrongUsage, IsSaidInASentence) {
  const Folder folder;
  const Done done = gridlock(GetParam().arguments, folder);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find(GetParam().says), std::string::npos) << done.output;
  EXPECT_LE(std::count(done.output.begin(), done.output.end(), '\n'), 3) << done.output;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongUsage,
    testing::Values(
        Case{"scenario", {"run", "uneven_batch"}, "did you mean uneven_batches?"},
        Case{"variant", {"run", "uneven_batches/peer_leave"}, "did you mean peers_leave?"},
        Case{"pattern", {"run", "zzz*"}, "there is no scenario \"zzz*\""},
        Case{"zero_ranks", {"run", "-n", "0"}, "\"0\" is not a number of ranks"},
        Case{"negative_ranks", {"run", "-n=-4"}, "is not a number of ranks"},
        Case{"absurd_ranks", {"run", "-n", "1000000"}, "is not a number of ranks"},
        Case{"text_ranks", {"run", "-n", "four"}, "is not a number of ranks"},
        Case{"misspelt_command", {"rum"}, "there is no command \"rum\"; did you mean run?"},
        Case{"no_such_command", {"frobnicate"}, "there are watch, diagnose, list"},
        Case{"backend", {"run", "--backend", "rocm"}, "there is no back end \"rocm\""},
        Case{"repeat", {"run", "--repeat", "0"}, "\"0\" is not a number of repetitions"},
        Case{"duration", {"run", "--stall-limit", "500"}, "is not a duration"},
        Case{"output", {"run", "--output", "/proc/nothing"}, "cannot make the folder"},
        Case{"json", {"run", "--json", "/nowhere/x.json"}, "cannot write /nowhere/x.json"},
        Case{"no_command", {"watch", "-n", "2"}, "watch needs a program to start"},
        Case{"no_results", {"report", "nowhere"}, "there are no results at nowhere"},
        Case{"claim", {"claims", "F1"}, "there is no claim \"F1\""},
        Case{"cost", {"run", "--cost", "-1"}, "\"-1\" is not a number of repetitions"},
        Case{"nccl_missing", {"versions", "--nccl", "2.1.4,2.1.5"}, "`./run_all.sh nccl 2.1.4`"},
        Case{"no_nccls", {"versions", "--nccl", ","}, "\",\" is no list of versions"},
        Case{"no_boxes", {"diagnose", "/tmp/nowhere-at-all"}, "/tmp/nowhere-at-all"}),
    [](const auto& tested) { return tested.param.name; });

TEST(WrongUsage, AProgramThatIsNotThereIsAFaultOfTheMachine) {
  const Folder folder;
  const Done done = gridlock({"watch", "--", "./no_such_program"}, folder);
  EXPECT_EQ(done.code, 3);
  EXPECT_NE(done.output.find("cannot start ./no_such_program: No such file"), std::string::npos)
      << done.output;
}

// The bare name prints the help, but counts as wrong usage: a script that has lost its command must
// not take that for a successful run.
TEST(Usage, WithoutACommandTheHelpIsPrinted) {
  const Done bare = gridlock({}, Folder());
  const Done help = gridlock({"--help"}, Folder());
  EXPECT_EQ(bare.code, 2);
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(bare.output, help.output);
  EXPECT_NE(help.output.find("\n  watch "), std::string::npos) << help.output;
}

TEST(Usage, HelpFitsAHundredColumns) {
  const Folder folder;
  for (const char* command : {"list", "explain", "run", "claims", "watch", "diagnose", "accept",
                              "soak", "report", "compare", "versions"}) {
    const Done done = gridlock({command, "--help"}, folder);
    EXPECT_EQ(done.code, 0) << done.output;
    std::istringstream lines(done.output);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(Usage, TheVersionIsTold) {
  const Done done = gridlock({"--version"}, Folder());
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(done.output.find("gridlock 0."), 0U) << done.output;
  EXPECT_NE(done.output.find("box format "), std::string::npos) << done.output;
}

TEST(WrongUsage, BoxesThatAreNoneAreRefused) {
  const Folder folder;
  std::ofstream(folder.path() / "rank0.box") << "this is no black box";
  const Done done = gridlock({"diagnose", "."}, folder);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("rank0.box"), std::string::npos) << done.output;
}

TEST(WrongUsage, TwoSessionsDoNotShareAFolder) {
  const Folder folder;
  Command first({"watch", "--output", "out", "--", "/bin/sh", "-c", "echo up; exec sleep 1000"},
                folder);
  ASSERT_TRUE(first.wait_for("up"));
  const Done second =
      gridlock({"run", "--backend", "sim", "uneven_batches", "--output", "out"}, folder);
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.output.find("another session is writing into out"), std::string::npos)
      << second.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
