// The loader's worker is a real process that answers, hangs when told to, and leaves nothing
// behind.
#include "scenarios/training/data/loader_worker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <stdexcept>

namespace gridlock {
namespace {

TEST(LoaderWorker, Answers) {
  LoaderWorker worker;
  for (int index = 0; index < 5; ++index) EXPECT_EQ(worker.fetch(index), index);
}

TEST(LoaderWorker, EndsWithItsOwner) {
  pid_t pid = 0;
  {
    LoaderWorker worker;
    EXPECT_EQ(worker.fetch(1), 1);
    pid = worker.pid();
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(LoaderWorker, IsMissedWhenItDies) {
  signal(SIGPIPE, SIG_IGN);
  LoaderWorker worker(Storage::hangs, 1);
  EXPECT_EQ(worker.fetch(0), 0);
  kill(worker.pid(), SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(worker.pid(), &status, 0), worker.pid());
  EXPECT_THROW(worker.fetch(1), std::runtime_error);
}

}  // namespace
}  // namespace gridlock
