// Threads that sleep until a child ends or a signal comes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

TEST(SleepingParents, AChildIsTheOneThatEnds) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Child parent([&] {
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      pause();
    }
    static_cast<void>(write(ends[1], &child, sizeof child));
    close(ends[1]);
    waitpid(child, nullptr, 0);
  });
  close(ends[1]);
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  const std::vector<JobProcess> job{
      parent.in_job(),
      {.pid = grandchild, .parent = parent.pid(), .key = record::process_key(0, grandchild)}};
  const Sleep sleep = sleep_in(SYS_wait4, job, job[0], parent.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), Keys{job[1].key});
  kill(grandchild, SIGKILL);
  close(ends[0]);
}

// The kernel wakes the parent a moment after the child has ended.
TEST(SleepingParents, AWaitForAnyChildMayBeAboutToEndIfOneIsNotListed) {
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  Child parent([&] {
    for (int i = 0; i < 2; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        while (true) pause();
      }
      static_cast<void>(write(told[1], &child, sizeof child));
    }
    wait4(-1, nullptr, 0, nullptr);
  });
  std::array<pid_t, 2> children{};
  ASSERT_EQ(read(told[0], children.data(), sizeof(pid_t)), static_cast<ssize_t>(sizeof(pid_t)));
  ASSERT_EQ(read(told[0], &children[1], sizeof(pid_t)), static_cast<ssize_t>(sizeof(pid_t)));
  const auto listed = [&](pid_t pid) {
    return JobProcess{.pid = pid, .parent = parent.pid(), .key = record::process_key(0, pid)};
  };
  const std::vector<JobProcess> all{parent.in_job(), listed(children[0]), listed(children[1])};
  EXPECT_TRUE(sleep_in(SYS_wait4, all, all[0], parent.pid()).asleep);
  const std::vector<JobProcess> one{parent.in_job(), listed(children[0])};
  EXPECT_FALSE(Sleepers(one).look(one[0], parent.pid()).asleep);
  for (const pid_t child : children) kill(child, SIGKILL);
  close(told[0]);
  close(told[1]);
}

TEST(SleepingParents, ASignalMayComeFromOutside) {
  const auto wait_for_signal = [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    sigwaitinfo(&set, nullptr);
  };
  Child child(wait_for_signal);
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_rt_sigtimedwait, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.for_signal);
  // The kernel signals what happens at such a descriptor.
  Child told([&] {
    std::array<int, 2> ends{};
    static_cast<void>(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
    fcntl(ends[0], F_SETFL, O_ASYNC);
    wait_for_signal();
  });
  const std::vector<JobProcess> alone{told.in_job()};
  EXPECT_FALSE(sleep_in(SYS_rt_sigtimedwait, alone, alone[0], told.pid()).asleep);
}

TEST(SleepingParents, WithoutAHandlerASignalEndsThePausingProcess) {
  Child child([] {
    for (int number = 1; number < 32; ++number) std::signal(number, SIG_DFL);
    pause();
  });
  const std::vector<JobProcess> job{child.in_job(), itself()};
  const Sleep sleep = sleep_in(SYS_pause, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_FALSE(sleep.for_signal);
  EXPECT_TRUE(sleep.by_anybody);
  EXPECT_EQ(wakers(sleep), Keys{}) << "it waits for nobody";
}

}  // namespace
}  // namespace gridlock::run
