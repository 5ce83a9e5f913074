// Whatever begins on this machine gets a new number.
#include "harness/processes/newest.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace gridlock::processes {
namespace {

TEST(Newest, GrowsWithEveryProcessAndThread) {
  const auto first = newest();
  if (!first) GTEST_SKIP() << "/proc/loadavg does not tell here";
  std::thread([] {}).join();
  const auto second = newest();
  EXPECT_NE(second, first);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  EXPECT_NE(newest(), second);
  EXPECT_GE(newest(), child) << "unless the numbers have begun anew";
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace gridlock::processes
