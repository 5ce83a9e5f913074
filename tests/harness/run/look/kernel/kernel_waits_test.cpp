// Threads and processes that come and go while they are looked at.
#include "harness/run/look/kernel/kernel_waits.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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
  Remembered waits;
  add_kernel_waits(snapshots, 0, Scope::host, false, waits, Purpose::explanation);
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

// To end its sleep, the nap's thread need only end, or give its lock away.
TEST(KernelWaits, WhoJoinsAThreadThatNapsIsNotIdle) {
  const Child rank([] {
    std::thread naps([] {
      while (true) std::this_thread::sleep_for(std::chrono::seconds(20));
    });
    std::thread([&] { naps.join(); }).detach();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable().wait(lock, [] { return false; });
  });
  const auto sleeps_of = [&] {
    std::array<record::Snapshot, 1> snapshots;
    snapshots[0].pid = rank.pid();
    snapshots[0].process = record::ProcessState::alive;
    Remembered waits;
    add_kernel_waits(snapshots, 0, Scope::host, false, waits, Purpose::proof);
    return std::move(snapshots[0].others);
  };
  const auto joins = [](const record::Sleeper& one) { return one.sleep.joins != 0; };
  std::vector<record::Sleeper> all = sleeps_of();
  while (all.size() != 3 || std::ranges::count_if(all, joins) != 1) all = sleeps_of();
  for (const record::Sleeper& one : all) EXPECT_EQ(one.sleep.for_napper, joins(one));
}

TEST(KernelWaits, AnExplanationNamesAllWhoCanActAndWhy) {
  const Child rank([] {
    std::thread([] {
      pthread_setname_np(pthread_self(), "watchdog");
      while (true) std::this_thread::sleep_for(std::chrono::seconds(20));
    }).detach();
    while (true) std::this_thread::sleep_for(std::chrono::seconds(30));
  });
  std::array<record::Snapshot, 1> snapshots;
  std::vector<record::Sleeper>& others = snapshots[0].others;
  const auto sleeps = [](const record::Sleeper& one) {
    return one.sleep.awake == record::Awake::may_end;
  };
  while (others.size() != 2 || !std::ranges::all_of(others, sleeps)) {
    snapshots[0].pid = rank.pid();
    snapshots[0].process = record::ProcessState::alive;
    Remembered waits;
    add_kernel_waits(snapshots, 0, Scope::host, false, waits, Purpose::explanation);
  }
  std::ranges::sort(others, {}, &record::Sleeper::tid);
  EXPECT_EQ(others[1].name, "watchdog");
  for (const record::Sleeper& one : others) {
    EXPECT_EQ(one.state, 'S');
    EXPECT_EQ(one.syscall, "clock_nanosleep");
  }
  EXPECT_EQ(std::chrono::nanoseconds(others[0].sleep.limit_ns), std::chrono::seconds(30));
  EXPECT_EQ(std::chrono::nanoseconds(others[1].sleep.limit_ns), std::chrono::seconds(20));
}

// The judge counts the look for an explanation like any other.
TEST(KernelWaits, WhoIsAwakeIsInNoWaitEitherThatIsToBeExplained) {
  const Child rank([] {
    while (true) {
    }
  });
  for (const Purpose purpose : {Purpose::proof, Purpose::explanation}) {
    std::array<record::Snapshot, 1> snapshots;
    snapshots[0].pid = rank.pid();
    snapshots[0].process = record::ProcessState::alive;
    record::Thread& thread = snapshots[0].threads.emplace_back();
    thread.tid = rank.pid();
    thread.epoch = 3;  // one that was never seen before, in which it has not spun yet
    thread.waits = record::Waits::stream;
    Remembered waits;
    add_kernel_waits(snapshots, 0, Scope::host, false, waits, purpose);
    EXPECT_EQ(thread.waits, record::Waits::nothing);
  }
}

// The signal comes to the thread that does not block it.
TEST(KernelWaits, AHandlerMayRunOnALibrarysThread) {
  for (const bool comes : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const Child rank([&] {
      struct sigaction once {};
      once.sa_handler = [](int) { pause(); };
      once.sa_flags = static_cast<int>(SA_RESETHAND);
      sigaction(SIGTERM, &once, nullptr);
      std::thread library([&] {
        const pid_t tid = gettid();
        EXPECT_EQ(write(ends[1], &tid, sizeof tid), static_cast<ssize_t>(sizeof tid));
        if (comes) raise(SIGTERM);
        sleep(1000);
      });
      library.join();
    });
    pid_t library = 0;
    ASSERT_EQ(read(ends[0], &library, sizeof library), static_cast<ssize_t>(sizeof library));
    for (const int end : ends) close(end);
    const std::int64_t call = comes ? SYS_pause : SYS_clock_nanosleep;
    while (system_call(rank.pid(), library).number != call) std::this_thread::yield();
    std::array<record::Snapshot, 1> snapshots;
    snapshots[0].pid = rank.pid();
    snapshots[0].process = record::ProcessState::alive;
    snapshots[0].library_threads = {library};
    Remembered waits;
    add_kernel_waits(snapshots, 0, Scope::host, false, waits, Purpose::explanation);
    EXPECT_EQ(snapshots[0].signals, comes ? record::Signals::timed : record::Signals::none);
  }
}

}  // namespace
}  // namespace gridlock::run
