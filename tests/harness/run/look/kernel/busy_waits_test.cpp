// Threads in a recorded wait that are awake.
#include "harness/run/look/kernel/busy_waits.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "harness/base/duration.h"
#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

record::Thread in_a_wait(std::uint64_t epoch) {
  record::Thread thread;
  thread.tid = syscall(SYS_gettid);
  thread.waits = record::Waits::stream;
  thread.epoch = epoch;
  return thread;
}

// This thread, which is awake.
bool waits_after(BusyWaits& waits, std::uint64_t epoch, SignalSet blocked = 0) {
  return waits.waits(getpid(), in_a_wait(epoch), {.state = 'R', .blocked = blocked});
}
bool asleep_waits(BusyWaits& waits, std::uint64_t epoch, SignalSet blocked = 0) {
  return waits.waits(getpid(), in_a_wait(epoch), {.state = 'S', .blocked = blocked});
}

// Spins for `time` on a core, whatever else runs there.
void spin(Duration time) {
  const auto now = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return Duration(used.tv_sec * 1'000'000'000 + used.tv_nsec);
  };
  for (const Duration end = now() + time; now() < end;) {
  }
  usleep(1000);  // the kernel adds up when the thread leaves its core
}

TEST(BusyWaits, AThreadThatIsAwakeWaitsOnceItHasSpun) {
  BusyWaits waits;
  EXPECT_FALSE(waits_after(waits, 1));
  spin(3 * kSpinBound);
  EXPECT_TRUE(waits_after(waits, 1));
}

record::Thread in_a_launch() {
  record::Thread thread = in_a_wait(1);
  thread.waits = record::Waits::device;
  thread.call = record::Call::kernel_launch;
  return thread;
}

// A compiler gets memory all the time.
TEST(BusyWaits, ALaunchThatGetsMemoryCompilesItsKernel) {
  BusyWaits waits;
  const auto launch_waits = [&] { return waits.waits(getpid(), in_a_launch(), {.state = 'R'}); };
  launch_waits();
  spin(3 * kSpinBound);
  while (!launch_waits()) spin(3 * kSpinBound);  // what this test itself touches is there by now
  constexpr std::size_t kPages = std::size_t{1} << 16U;
  auto* fresh = static_cast<volatile char*>(
      mmap(nullptr, kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  *fresh = 1;
  EXPECT_FALSE(launch_waits());
  EXPECT_FALSE(waits.waits(getpid(), in_a_launch(), {.state = 'D'}));
}

TEST(BusyWaits, ThreadsOfACompilerGetMemoryToo) {
  BusyWaits waits;
  const auto launch_waits = [&] { return waits.waits(getpid(), in_a_launch(), {.state = 'S'}); };
  launch_waits();
  while (!launch_waits()) std::this_thread::yield();  // what this test itself touches is there
  std::thread([] {
    auto* fresh = static_cast<volatile char*>(
        mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    *fresh = 1;
  }).join();
  EXPECT_FALSE(launch_waits());
}

// A refused call may be stopped, or wait for a disk, before it has looked at its arguments.
TEST(BusyWaits, WhoIsStoppedIsNotAsleep) {
  for (const char state : {'T', 't', 'D'}) {
    BusyWaits waits;
    EXPECT_FALSE(waits.waits(getpid(), in_a_wait(1), {.state = state})) << state;
    EXPECT_FALSE(waits.waits(getpid(), in_a_wait(1), {.state = state})) << state;
    EXPECT_FALSE(waits_after(waits, 1)) << state;
    EXPECT_TRUE(asleep_waits(waits, 1));
    EXPECT_EQ(waits.waits(getpid(), in_a_wait(1), {.state = state}), state != 'D') << state;
    waits_after(waits, 1);
    EXPECT_FALSE(waits.waits(getpid(), in_a_wait(1), {.state = state})) << state;
  }
}

TEST(BusyWaits, EachLaunchCountsByItself) {
  BusyWaits waits;
  record::Thread launch = in_a_launch();
  EXPECT_TRUE(waits.waits(getpid(), launch, {.state = 'S'}));
  launch.since_ns = 1;  // no epoch passes between launches
  EXPECT_FALSE(waits.waits(getpid(), launch, {.state = 'R'}));
}

TEST(BusyWaits, EachWaitCountsByItself) {
  BusyWaits waits;
  EXPECT_FALSE(waits_after(waits, 1));
  spin(3 * kSpinBound);
  EXPECT_FALSE(waits_after(waits, 2));
}

// A kernel's failure, or the end of what it waits for, has woken it.
TEST(BusyWaits, AThreadThatHasWokenMayLeaveItsWait) {
  BusyWaits waits;
  EXPECT_TRUE(asleep_waits(waits, 1));
  spin(3 * kSpinBound);
  EXPECT_FALSE(waits_after(waits, 1));
  EXPECT_TRUE(waits.spins());
  spin(3 * kSpinBound);
  EXPECT_TRUE(waits_after(waits, 1));
  EXPECT_TRUE(asleep_waits(waits, 1));
  EXPECT_FALSE(waits_after(waits, 1));
}

// This thread does not sleep at a futex.
TEST(BusyWaits, WhoSleepsInMpiReportsAnError) {
  BusyWaits waits;
  record::Thread thread = in_a_wait(1);
  thread.call = record::Call::mpi_barrier;
  EXPECT_FALSE(waits.waits(getpid(), thread, {.state = 'S'}));
  thread.call = record::Call::stream_synchronize;
  EXPECT_TRUE(waits.waits(getpid(), thread, {.state = 'S'}));
}

// A program that reads its standard input, which `launcher` says is the launcher, or is not.
bool reader_waits(record::Call in, const char* launcher) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const Child child([&] {
    dup2(ends[0], STDIN_FILENO);
    const char* const arguments[] = {"sh", "-c", "read word", nullptr};
    const char* const environment[] = {launcher, nullptr};
    execve("/bin/sh", const_cast<char**>(arguments), const_cast<char**>(environment));
  });
  for (bool reads = false; !reads; std::this_thread::yield()) {
    const SystemCall call = system_call(child.pid(), child.pid());
    reads = call.sleeps && call.number == SYS_read && call.arguments[0] == STDIN_FILENO;
  }
  record::Thread thread;
  thread.tid = child.pid();
  thread.call = in;
  BusyWaits waits;
  const bool does = waits.waits(child.pid(), thread, {.state = 'S'});
  for (const int end : ends) close(end);
  return does;
}

TEST(BusyWaits, RanksMeetAtTheLauncherWhenMpiStartsAndEnds) {
  EXPECT_TRUE(reader_waits(record::Call::mpi_finalize, "PMI_FD=0"));
  EXPECT_FALSE(reader_waits(record::Call::mpi_finalize, "PMI_FD=7"));
  EXPECT_FALSE(reader_waits(record::Call::mpi_barrier, "PMI_FD=0"));
}

TEST(BusyWaits, AnotherLookMayTell) {
  BusyWaits waits;
  waits.begin();
  waits_after(waits, 1);
  EXPECT_TRUE(waits.spins());
  spin(3 * kSpinBound);
  waits.begin();
  waits_after(waits, 1);
  EXPECT_FALSE(waits.spins());
}

// A handler that has restored the signal's default is awake for a moment.
TEST(BusyWaits, AThreadThatBlocksMoreSignalsThanBeforeMayRunAHandler) {
  BusyWaits waits;
  EXPECT_TRUE(asleep_waits(waits, 1));
  EXPECT_FALSE(waits_after(waits, 1, signal_bit(SIGTERM)));
  spin(3 * kSpinBound);
  EXPECT_FALSE(waits_after(waits, 1, signal_bit(SIGTERM)));
  EXPECT_TRUE(waits_after(waits, 1));
}

}  // namespace
}  // namespace gridlock::run
