// Threads in a recorded wait that are awake.
#include "harness/run/look/kernel/busy_waits.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "harness/base/duration.h"

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

TEST(BusyWaits, EachWaitCountsByItself) {
  BusyWaits waits;
  EXPECT_FALSE(waits_after(waits, 1));
  spin(3 * kSpinBound);
  EXPECT_FALSE(waits_after(waits, 2));
}

TEST(BusyWaits, AThreadThatWasSeenAsleepWaits) {
  BusyWaits waits;
  EXPECT_TRUE(asleep_waits(waits, 1));
  EXPECT_TRUE(waits_after(waits, 1));
  EXPECT_FALSE(waits_after(waits, 2));
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
  EXPECT_TRUE(waits_after(waits, 1));
}

}  // namespace
}  // namespace gridlock::run
