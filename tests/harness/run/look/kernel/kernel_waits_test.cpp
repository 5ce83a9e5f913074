// Threads and processes that come and go while they are looked at.
#include "harness/run/look/kernel/kernel_waits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "harness/processes/process_tree.h"
#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

constexpr int kLooks = 300;

// Whether a look at the rank of the process `pid` finds that somebody can act.
bool somebody_acts(pid_t pid) {
  std::array<record::Snapshot, 1> snapshots;
  snapshots[0].pid = pid;
  snapshots[0].process = record::ProcessState::alive;
  add_kernel_waits(snapshots, 0, Scope::host, nullptr);
  const auto acts = [](const record::Sleeper& sleeper) { return !sleeper.sleep.asleep; };
  return !snapshots[0].enders.empty() || std::ranges::any_of(snapshots[0].others, acts);
}

void go_on() { std::thread(go_on).detach(); }

TEST(KernelWaits, AThreadThatHasEndedMayHaveStartedAnother) {
  const Child rank([] {
    go_on();
    while (true) pause();
  });
  while (!somebody_acts(rank.pid())) std::this_thread::yield();
  for (int look = 0; look < kLooks; ++look) ASSERT_TRUE(somebody_acts(rank.pid())) << look;
}

TEST(KernelWaits, AProcessThatHasEndedMayHaveStartedAnother) {
  processes::become_subreaper();
  const Child rank([] {
    while (true) pause();
  });
  if (fork() == 0) {
    while (true) {
      if (fork() != 0) _exit(0);
    }
  }
  for (int look = 0; look < kLooks; ++look) {
    EXPECT_TRUE(somebody_acts(rank.pid())) << look;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  processes::kill_descendants(std::chrono::seconds(5));
}

TEST(KernelWaits, NobodyActsWhileAllSleep) {
  const Child rank([] {
    while (true) pause();
  });
  const Child helper([] {
    while (true) pause();
  });
  const Child ended([] {});
  while (!processes::whole_tree_below(getpid()).back().has_ended) std::this_thread::yield();
  while (somebody_acts(rank.pid())) std::this_thread::yield();
  for (int look = 0; look < kLooks; ++look) ASSERT_FALSE(somebody_acts(rank.pid())) << look;
}

}  // namespace
}  // namespace gridlock::run
