// Several agents on this machine: one table, and clocks that are far apart.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

// Exit status of `command`, run in `folder`.
int shell(const std::string& command, const Folder& folder) {
  const int status = std::system(("cd " + folder.path().string() + " && " + command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Agents, AreRightAboutTimesOfClocksThatAreApart) {
  const Folder folder;
  if (shell("command -v mpiexec > /dev/null", folder) != 0) GTEST_SKIP() << "there is no mpiexec";
  if (shell("unshare -T --monotonic 500 true 2> /dev/null", folder) != 0) {
    GTEST_SKIP() << "this machine gives no time namespaces";
  }
  // All but agent 0 live 500 s ahead.
  const std::string command =
      "mpiexec -n 2 sh -c 'test $PMI_RANK = 0 || ahead=\"unshare -T --monotonic 500\"; "
      "exec $ahead " GRIDLOCK_PROGRAM " run uneven_batches --output out' > log 2>&1";
  ASSERT_EQ(shell(command, folder), 0);
  const nlohmann::json results = read_json(folder.path() / "out" / "results.json");
  EXPECT_EQ(results["context"]["agents"].size(), 2U);
  const double error_us = results["context"]["clock_error_us"];
  EXPECT_GT(error_us, 0);
  constexpr double kSecond = 1e6;
  EXPECT_LT(error_us, kSecond);
  int deadlocks = 0;
  for (const nlohmann::json& run : results["runs"]) {
    EXPECT_EQ(run["as_declared"], true) << run["variant"];
    if (run["outcome"] != "deadlock") continue;
    ++deadlocks;
    // Not 500 s, however slow the machine is.
    constexpr double kFarLess = 100e3;
    EXPECT_LT(run["time_to_hang_ms"].get<double>(), kFarLess);
    EXPECT_LT(run["time_to_detect_ms"].get<double>(), kFarLess);
  }
  EXPECT_EQ(deadlocks, 2);
}

TEST(Agents, OneAloneRefusesASplitForTwo) {
  const Folder folder;
  const Done done = gridlock({"run", "uneven_batches/join", "-n", "3+5"}, folder);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("-n 3+5 is for 2 agents"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
