// Starting, asking, killing and reaping real processes.
#include "harness/run/launch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>

#include "harness/run/capture.h"
#include "harness/run/error.h"
#include "harness/run/output.h"
#include "harness/run/processes.h"

namespace gridlock::run {
namespace {

using std::chrono_literals::operator""s;

void wait_for_end(const Process& process) {
  pollfd ended{.fd = process.handle.get(), .events = POLLIN, .revents = 0};
  poll(&ended, 1, -1);
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
  wait_for_end(process);
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
  wait_for_end(first);
  wait_for_end(second);
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
}  // namespace gridlock::run
