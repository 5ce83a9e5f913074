// Processes that continued after the one that started them had ended.
#include "harness/run/look/kernel/programs/daemons.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "harness/processes/launch.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

TEST(Daemons, AreOfTheSameProgramAndRank) {
  processes::Launch launch;
  launch.command = {"sleep", "1000"};
  launch.environment = {"PATH=/usr/bin:/bin", "LOCAL_RANK=3"};
  const processes::Process process = processes::start(launch);
  const std::string own = "/proc/" + std::to_string(process.pid) + "/exe";
  const std::string sleep = std::filesystem::canonical("/bin/sleep").string();
  while (std::filesystem::read_symlink(own) != sleep) {
  }
  EXPECT_EQ(daemon_of(sleep, 3), process.pid);
  EXPECT_EQ(daemon_of(sleep, 30), 0);
  EXPECT_EQ(daemon_of("/bin/sh", 3), 0) << "a helper that was left behind";
  EXPECT_EQ(daemon_of("/no/such/program", 3), 0);
  kill(process.pid, SIGKILL);
  processes::wait_for_end(process.handle,
                          std::chrono::steady_clock::now() + std::chrono::seconds(60));
  EXPECT_TRUE(processes::reap(process.pid));
}

}  // namespace
}  // namespace gridlock::run
