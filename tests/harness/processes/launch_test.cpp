// Starting, asking, killing and reaping real processes.
#include "harness/processes/launch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "harness/base/error.h"
#include "harness/processes/capture.h"
#include "harness/processes/output.h"
#include "harness/processes/process_tree.h"

namespace gridlock::processes {
namespace {

using std::chrono_literals::operator""s;

void expect_end(const Process& process) {
  EXPECT_TRUE(wait_for_end(process.handle, std::chrono::steady_clock::now() + 60s));
}

std::string all_output(const Process& process) {
  std::string text;
  while (drain(process.output.get(), text)) {
    pollfd more{.fd = process.output.get(), .events = POLLIN, .revents = 0};
    poll(&more, 1, -1);
  }
  return text;
}

Launch shell(const std::string& script) {
  Launch launch;
  launch.command = {"sh", "-c", script};
  return launch;
}

TEST(Launch, GivesEnvironmentOutputAndReportPipe) {
  Pipe report = make_pipe();
  Launch launch = shell("echo $GREETING; echo error >&2; echo said >&3; cat; exit 4");
  launch.environment = {"GREETING=hello", "PATH=/usr/bin:/bin"};
  launch.report = report.write.get();
  const Process process = start(launch);
  report.write.close();
  EXPECT_EQ(all_output(process), "hello\nerror\n");
  expect_end(process);
  std::string said;
  drain(report.read.get(), said);
  EXPECT_EQ(said, "said\n");
  const auto ending = reap(process.pid);
  ASSERT_TRUE(ending);
  EXPECT_FALSE(ending->signaled);
  EXPECT_EQ(ending->code, 4);
}

TEST(Launch, AProcessHasAGroupOfItsOwnUnlessOneIsNamed) {
  const Process first = start(shell("exec sleep 1000"));
  Launch next = shell("exec sleep 1000");
  next.group = first.pid;
  const Process second = start(next);
  EXPECT_EQ(getpgid(first.pid), first.pid);
  EXPECT_EQ(getpgid(second.pid), first.pid);
  kill(-first.pid, SIGKILL);
  expect_end(first);
  expect_end(second);
  const auto ending = reap(first.pid);
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->signaled);
  EXPECT_EQ(ending->code, SIGKILL);
  EXPECT_TRUE(reap(second.pid));
}

TEST(Launch, NamesWhatCannotBeStarted) {
  Launch launch;
  launch.command = {"/no/such/program"};
  try {
    start(launch);
    FAIL() << "it was started";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "cannot start /no/such/program: No such file or directory");
  }
}

TEST(Processes, AllDescendantsAreKilledWhereverTheyWent) {
  become_subreaper();
  const Process process = start(shell("setsid sh -c 'sleep 1000 & echo up; wait' & wait"));
  std::string text;
  while (text.empty()) {
    pollfd more{.fd = process.output.get(), .events = POLLIN, .revents = 0};
    poll(&more, 1, -1);
    drain(process.output.get(), text);
  }
  EXPECT_GE(descendants(getpid()).size(), 3U);
  EXPECT_TRUE(kill_descendants(10s).empty());
  EXPECT_TRUE(descendants(getpid()).empty());
}

// A process in its own session whose main thread ends while another thread sleeps.
pid_t start_headless() {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setsid();
  std::thread([] { pause(); }).detach();
  syscall(SYS_exit, 0);  // of this thread alone; pthread_exit() would unwind through the test
  return 0;
}

// Waits until /proc shows `pid` as a zombie.
void wait_for_zombie(pid_t pid) {
  std::string stat;
  while (stat.find(") Z") == std::string::npos) {
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
  }
}

TEST(Processes, OneWhoseFirstThreadHasEndedIsKilledToo) {
  become_subreaper();
  const pid_t pid = start_headless();
  wait_for_zombie(pid);
  EXPECT_EQ(descendants(getpid()), std::vector{pid});
  ASSERT_EQ(tree_below(getpid()).size(), 1U);
  EXPECT_EQ(tree_below(getpid()).front().parent, getpid());
  EXPECT_TRUE(kill_descendants(10s).empty());
  EXPECT_NE(kill(pid, 0), 0);
  kill(pid, SIGKILL);
}

TEST(Processes, ManyThatDoNotEndAreWaitedForTogether) {
  const auto begin = std::chrono::steady_clock::now();
  const auto deadline = begin + 1s;
  const Process first = start(shell("exec sleep 1000"));
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(wait_for_end(first.handle, deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  EXPECT_LT(std::chrono::steady_clock::now(), begin + 10s);
  kill(first.pid, SIGKILL);
  EXPECT_TRUE(wait_for_end(first.handle, std::chrono::steady_clock::now() + 10s));
  EXPECT_TRUE(reap(first.pid));
}

TEST(Capture, ReturnsOutputAndEnd) {
  const Captured captured = capture({"sh", "-c", "echo one; echo two >&2; exit 3"}, 60s);
  EXPECT_EQ(captured.output, "one\n");
  EXPECT_EQ(captured.ending.code, 3);
  EXPECT_FALSE(captured.timed_out);
}

TEST(Capture, GivesUpOnAProgramThatDoesNotEnd) {
  const Captured silent = capture({"sleep", "1000"}, std::chrono::milliseconds(20));
  EXPECT_TRUE(silent.timed_out);
  const Captured closed =
      capture({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, std::chrono::milliseconds(20));
  EXPECT_TRUE(closed.timed_out);
}

}  // namespace
}  // namespace gridlock::processes
