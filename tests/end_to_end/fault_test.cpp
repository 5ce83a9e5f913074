// Nothing is left behind, whichever process is killed in the middle of a run.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

namespace fs = std::filesystem;

// A run whose ranks never end and have children in sessions of their own.
std::vector<std::string> endless(const std::string& output) {
  return {"watch",
          "-n",
          "3",
          "--stall-limit",
          "1h",
          "--output",
          output,
          "--",
          "/bin/sh",
          "-c",
          "setsid sleep 10000 & echo up; wait"};
}

void expect_nothing_left(const Command& command) { EXPECT_TRUE(command.all_gone()); }

bool wait_for_ranks(Command& command) {
  return command.wait_for("[rank 0] up") && command.wait_for("[rank 1] up") &&
         command.wait_for("[rank 2] up");
}

class Signals : public testing::TestWithParam<int> {};

TEST_P(Signals, EndTheRunAndKeepTheResults) {
  const Folder folder;
  Command command(endless("out"), folder);
  ASSERT_TRUE(wait_for_ranks(command));
  kill(command.pid(), GetParam());
  const Done done = command.finish();
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("ended by SIG"), std::string::npos) << done.output;
  expect_nothing_left(command);
  EXPECT_TRUE(fs::exists(folder.path() / "out" / "results.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "out" / ".lock"));
}

INSTANTIATE_TEST_SUITE_P(All, Signals, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Faults, ASignalThatWasIgnoredFromTheBeginningStaysIgnored) {
  const Folder folder;
  const std::string script = "echo up; while [ ! -e go ]; do sleep 0.01; done";
  Command command({"watch", "--stall-limit", "1h", "--", "/bin/sh", "-c", script}, folder, {},
                  {"nohup"});
  ASSERT_TRUE(command.wait_for("up"));
  kill(command.pid(), SIGHUP);
  std::ofstream(folder.path() / "go") << "";
  const Done done = command.finish();
  EXPECT_EQ(done.code, 0) << done.output;
}

TEST(Faults, AKilledAgentLeavesNothing) {
  const Folder folder;
  Command command(endless("out"), folder);
  ASSERT_TRUE(wait_for_ranks(command));
  kill(command.agent(), SIGKILL);
  const Done done = command.finish();
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("signal 9 (Killed) ended the agent"), std::string::npos)
      << done.output;
  expect_nothing_left(command);
}

TEST(Faults, AKilledGuardLeavesNothing) {
  const Folder folder;
  Command command(endless("out"), folder);
  ASSERT_TRUE(wait_for_ranks(command));
  kill(command.pid(), SIGKILL);
  EXPECT_EQ(command.finish().code, 128 + SIGKILL);
  expect_nothing_left(command);
}

TEST(Faults, AnInterruptedSessionKeepsFinishedRuns) {
  const Folder folder;
  Command command(
      {"run", "--backend", "sim", "uneven_batches", "--repeat", "100000", "--output", "out"},
      folder);
  ASSERT_TRUE(command.wait_for("uneven_batches/stop_together ("));
  kill(command.pid(), SIGINT);
  const Done done = command.finish();
  EXPECT_EQ(done.code, 3) << done.output;
  expect_nothing_left(command);
  // The results have every run that was announced.
  std::size_t announced = 0;
  for (auto at = done.output.find("ok    "); at != std::string::npos;
       at = done.output.find("ok    ", at + 1)) {
    ++announced;
  }
  EXPECT_GT(announced, 1U);
  EXPECT_EQ(read_json(folder.path() / "out" / "results.json").at("runs").size(), announced)
      << done.output;
  EXPECT_NE(done.output.find("ended by SIGINT"), std::string::npos) << done.output;
}

TEST(Faults, AKilledAgentKeepsFinishedRuns) {
  const Folder folder;
  Command command(
      {"run", "--backend", "sim", "uneven_batches", "--repeat", "100000", "--output", "out"},
      folder);
  ASSERT_TRUE(command.wait_for("uneven_batches/stop_together ("));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  expect_nothing_left(command);
  EXPECT_GE(read_json(folder.path() / "out" / "results.json").at("runs").size(), 1U);
}

TEST(Faults, AFullDiskIsSaidAndKeepsWhatIsThere) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small file system needs root";
  const Folder folder;
  const fs::path small = folder.path() / "small";
  fs::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "this container may not mount a file system";
  }
  const Done done = gridlock(
      {"run", "--backend", "sim", "uneven_batches", "--repeat", "20", "--output", "small/out"},
      folder);
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("No space left on device"), std::string::npos) << done.output;
  // The existing results are complete.
  EXPECT_TRUE(read_json(small / "out" / "results.json").is_object());
  umount(small.c_str());
}

}  // namespace
}  // namespace gridlock::end_to_end
