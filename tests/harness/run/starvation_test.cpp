// What the kernel says of threads that want a core, and what is made of it.
#include "harness/run/starvation.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
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

TEST(TimeWaited, IsThatOfAllThreadsTogether) {
  const TimesInQueue before{{1, 5ms}, {2, 100ms}, {3, 9ms}};
  EXPECT_EQ(time_waited(before, before), 0ms);
  EXPECT_EQ(time_waited(before, {{1, 25ms}, {2, 103ms}}), 23ms);
  EXPECT_EQ(time_waited(before, {{2, 100ms}, {4, 7ms}}), 7ms);  // a new one
}

// Two threads on one core: one of them always waits.
TEST(TimesInQueue, GrowWhileAnotherHasTheCore) {
  if (!kernel_says()) GTEST_SKIP() << "this kernel keeps no scheduler statistics";
  const TimesInQueue before = times_in_queue(this_process());
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
  while (time_waited(before, times_in_queue(this_process())) < 20ms) std::this_thread::yield();
  done = true;
  one.join();
  other.join();
  sched_setaffinity(0, sizeof all, &all);
}

TEST(SilenceMeter, BeginsAnewWithEveryMove) {
  SilenceMeter meter;
  const std::int64_t second = 1'000'000'000;
  const auto times = [] { return times_in_queue(this_process()); };
  EXPECT_EQ(meter.measure(0, second, 10s, times).wall, 1s);
  const Silence next = meter.measure(second, 3 * second, 10s, times);
  EXPECT_EQ(next.wall, 2s);
  EXPECT_EQ(next.starved, 0ms);
}

TEST(TimesInQueue, LeaveOutProcessesThatAreGone) {
  std::vector<record::Snapshot> gone = this_process();
  gone[0].process = record::ProcessState::exited;
  EXPECT_TRUE(times_in_queue(gone).empty());
}

}  // namespace
}  // namespace gridlock::run
