// What the kernel says about threads that wait for a core, and how that counts.
#include "harness/run/look/starvation.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace gridlock::run {
namespace {

std::vector<record::Snapshot> this_process() {
  std::vector<record::Snapshot> snapshots(1);
  snapshots[0].pid = getpid();
  return snapshots;
}

bool kernel_says() {
  std::ifstream file("/proc/self/schedstat");
  std::uint64_t on_core = 0;
  return static_cast<bool>(file >> on_core);
}

Hindrance queued(Duration time) { return {.in_queue = time}; }
Hindrance paged_in(std::uint64_t times) { return {.page_ins = times}; }

TEST(TimeInQueue, IsThatOfAllThreadsTogether) {
  const Hindrances before{{1, queued(5ms)}, {2, queued(100ms)}, {3, queued(9ms)}};
  EXPECT_EQ(time_in_queue(before, before, 900ms, 1s), 0ms);
  EXPECT_EQ(time_in_queue(before, {{1, queued(25ms)}, {2, queued(103ms)}}, 900ms, 1s), 23ms);
  EXPECT_EQ(time_in_queue(before, {{2, queued(100ms)}, {4, queued(7ms)}}, 900ms, 1s),
            7ms);  // a new one
}

// Until a thread gets a core, the kernel does not say how long it has waited.
TEST(TimeInQueue, IsAllOfItForAThreadThatIsReadyAndNeverRan) {
  const Hindrance ready{.on_core = 4ms, .in_queue = 5ms, .ready = true};
  EXPECT_EQ(time_in_queue({{1, ready}}, {{1, ready}}, 900ms, 1s), 900ms);
  const Hindrance has_run{.on_core = 5ms, .in_queue = 95ms, .ready = true};
  EXPECT_EQ(time_in_queue({{1, ready}}, {{1, has_run}}, 900ms, 1s), 90ms);
  const Hindrance sleeps{.on_core = 4ms, .in_queue = 5ms};
  EXPECT_EQ(time_in_queue({{1, sleeps}}, {{1, sleeps}}, 900ms, 1s), 0ms);
  EXPECT_EQ(time_in_queue({{1, sleeps}}, {{1, ready}}, 900ms, 1s), 900ms);  // at most
  // On a kernel without these times, a thread that spins does not count as starved.
  EXPECT_EQ(time_in_queue({{1, {.ready = true}}}, {{1, {.ready = true}}}, 900ms, 1s), 0ms);
}

// Two threads on one core that wait for each other by polling.
TEST(TimeInQueue, IsNothingForAThreadThatHadItsTime) {
  const Hindrances before{{1, {.on_core = 5s}}, {2, {.on_core = 3s}}};
  const Hindrances after{{1, {.on_core = 6s, .in_queue = 990ms, .ready = true}},
                         {2, {.on_core = 3990ms, .in_queue = 1s, .ready = true}}};
  EXPECT_EQ(time_in_queue(before, after, 1990ms, 1s), 1s);
  EXPECT_EQ(time_in_queue(before, after, 1990ms, 2s), 1990ms);
  EXPECT_EQ(time_in_queue(before, after, 1990ms, 500ms), 0s);
}

TEST(WaitedForDisk, WhoReadPagesOrIsHeldNow) {
  const Hindrances before{{1, paged_in(3)}, {2, {.held = true}}};
  EXPECT_FALSE(waited_for_disk(before, {{1, paged_in(3)}, {2, {}}}));
  EXPECT_TRUE(waited_for_disk(before, {{1, paged_in(4)}}));
  EXPECT_TRUE(waited_for_disk(before, {{5, paged_in(1)}}));
  EXPECT_FALSE(waited_for_disk(before, {{5, {}}}));
  EXPECT_TRUE(waited_for_disk(before, {{1, {.page_ins = 3, .held = true}}}));
}

// A compiler works for a rank; a monitor looks once a second.
TEST(HelpersWorked, ForAGoodPartOfTheTime) {
  const auto helper = [](Duration on_core, Duration in_queue = 0ms) {
    return Hindrance{.on_core = on_core, .in_queue = in_queue, .helper = true};
  };
  const Hindrances before{{1, helper(100ms)}, {2, {.on_core = 5ms}}};
  EXPECT_FALSE(helpers_worked(before, before, 1s));
  EXPECT_FALSE(helpers_worked(before, {{1, helper(101ms)}}, 1s));
  EXPECT_TRUE(helpers_worked(before, {{1, helper(400ms)}}, 1s));
  EXPECT_TRUE(helpers_worked(before, {{1, helper(100ms, 400ms)}}, 1s));  // it got no core
  EXPECT_TRUE(helpers_worked(before, {{7, helper(80ms)}}, 1s));
  EXPECT_FALSE(helpers_worked(before, {{2, {.on_core = 900ms}}}, 1s));  // the rank itself
}

TEST(HelpersWorked, WhichHasJustBegun) {
  EXPECT_TRUE(helpers_worked({}, {{7, {.ready = true, .helper = true}}}, 1s));
  EXPECT_FALSE(helpers_worked({}, {{7, {.helper = true}}}, 1s));
}

TEST(Hindrances, HaveTheThreadsOfHelpers) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  if (child == 0) {
    char word = 0;
    close(gate[1]);
    _exit(read(gate[0], &word, 1) == 0 ? 0 : 1);
  }
  const Hindrances all = hindrances(this_process());
  close(gate[1]);
  close(gate[0]);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(all.contains(child));
  EXPECT_TRUE(all.at(child).helper);
  EXPECT_FALSE(all.at(getpid()).helper);
}

// Two threads on one core: one of them always waits.
TEST(Hindrances, TimesInQueueGrowWhileAnotherHasTheCore) {
  if (!kernel_says()) GTEST_SKIP() << "this kernel keeps no scheduler statistics";
  const Hindrances before = hindrances(this_process());
  EXPECT_TRUE(before.contains(getpid()));
  std::atomic<bool> done{false};
  const auto spin = [&] {
    while (!done) {
    }
  };
  // Started on this thread's core, so that they share one.
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  ASSERT_EQ(sched_setaffinity(0, sizeof here, &here), 0);
  std::thread one(spin);
  std::thread other(spin);
  while (time_in_queue(before, hindrances(this_process()), 0ms, 3600s) < 20ms)
    std::this_thread::yield();
  done = true;
  one.join();
  other.join();
  sched_setaffinity(0, sizeof all, &all);
}

TEST(SilenceMeter, BeginsAnewWithEveryMove) {
  SilenceMeter meter;
  const std::int64_t second = 1'000'000'000;
  const auto look = [] { return Hindrances{}; };
  EXPECT_EQ(meter.measure(0, second, 10s, look).wall, 1s);
  const Silence next = meter.measure(second, second + 60'000'000, 10s, look);
  EXPECT_EQ(next.wall, 60ms);
  EXPECT_EQ(next.starved, 0ms);
}

// The agent itself had no core, so the ranks may have had none either.
TEST(SilenceMeter, CountsLittleOfTheTimeInWhichNobodyLooked) {
  SilenceMeter meter;
  const auto at = [&](Duration wall) {
    return idle(meter.measure(0, wall.count(), 1s, [] { return Hindrances{}; }));
  };
  EXPECT_EQ(at(1040ms), 50ms);
  EXPECT_EQ(at(1990ms), 1000ms);
  EXPECT_EQ(at(2000ms), 1010ms);
}

// Most looks at the threads of a job would be too early for a limit of a second, but not for this.
TEST(SilenceMeter, BeginsInTimeForAShortLimit) {
  SilenceMeter meter;
  Hindrances now{{1, {.ready = true}}};
  const auto at = [&](Duration wall) {
    return idle(meter.measure(0, wall.count(), 40ms, [&] { return now; }));
  };
  EXPECT_EQ(at(9ms), 9ms);
  EXPECT_EQ(at(10ms), 10ms);
  now[1].in_queue = 25ms;
  EXPECT_EQ(at(41ms), 16ms);
}

// A rank waits for its compiler for 3 s, three times as long as the limit.
TEST(SilenceMeter, AHelperThatWorksStartsTheLimitAgain) {
  SilenceMeter meter;
  const auto at = [&](Duration wall) {
    return idle(meter.measure(0, wall.count(), 1s, [&] {
      return Hindrances{{7, {.on_core = std::min(wall, Duration(3s)), .helper = true}}};
    }));
  };
  at(50ms);
  EXPECT_EQ(at(1100ms), 0ms);
  EXPECT_EQ(at(2200ms), 0ms);
  EXPECT_EQ(at(3300ms), 0ms);
  EXPECT_GT(at(4400ms), 1s);
}

// Four threads on two cores. None of them sleeps, so each waits for half of the time.
TEST(SilenceMeter, ThreadsThatSpinAreNotStarvedForEver) {
  SilenceMeter meter;
  const auto at = [&](Duration wall) {
    return idle(meter.measure(0, wall.count(), 1s, [&] {
      Hindrances threads;
      for (const int thread : {1, 2, 3, 4}) {
        threads[thread] = {.on_core = wall / 2, .in_queue = wall / 2, .ready = true};
      }
      return threads;
    }));
  };
  EXPECT_EQ(at(60ms), 60ms);
  EXPECT_LT(at(1500ms), 1s);  // each has had a core for 720 ms since
  EXPECT_GT(at(4000ms), 1s);
}

// The first look is at 50 ms of silence, the next when the limit would be reached.
TEST(SilenceMeter, GivesTheLimitAnewWhereTheDiskKeptOne) {
  SilenceMeter meter;
  Hindrances now{{1, paged_in(3)}};
  int looks = 0;
  const auto at = [&](Duration wall) {
    return meter.measure(0, wall.count(), 1s, [&] {
      ++looks;
      return now;
    });
  };
  EXPECT_EQ(at(60ms).starved, 0ms);
  EXPECT_EQ(at(900ms).starved, 0ms);
  EXPECT_EQ(looks, 1);
  now[1].page_ins = 5;
  EXPECT_EQ(idle(at(1001ms)), 0ms);
  EXPECT_EQ(idle(at(1901ms)), 900ms);
  now[1].in_queue = 30ms;
  EXPECT_EQ(idle(at(2011ms)), 980ms);  // no page since, but a queue
  EXPECT_EQ(idle(at(2100ms)), 1069ms);
  EXPECT_EQ(looks, 4);
}

TEST(Hindrances, LeaveOutProcessesThatAreGone) {
  std::vector<record::Snapshot> gone = this_process();
  gone[0].process = record::ProcessState::exited;
  EXPECT_TRUE(hindrances(gone).empty());
}

TEST(Hindrances, CountTheKernelsPageIns) {
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &used), 0);
  const auto seen = hindrances(this_process()).at(gettid());
  EXPECT_EQ(seen.page_ins, static_cast<std::uint64_t>(used.ru_majflt));
  EXPECT_FALSE(seen.held);  // it reads this
}

// A process that waits as after vfork sleeps uninterruptibly, as for a disk, until its child is
// gone. (It does not use vfork itself, which is a fork under the thread sanitizer.)
TEST(Hindrances, SeeWhoIsHeld) {
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    setpgid(0, 0);
    if (syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) {
      alarm(60);  // ends this process even if the test fails
      pause();
    }
    _exit(0);
  }
  std::vector<record::Snapshot> snapshots(1);
  snapshots[0].pid = parent;
  const auto is_held = [&] { return hindrances(snapshots).at(parent).held; };
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!is_held() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(is_held());
  kill(-parent, SIGKILL);
  waitpid(parent, nullptr, 0);
}

}  // namespace
}  // namespace gridlock::run
