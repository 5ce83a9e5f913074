// Threads in a recorded wait that are awake.
#include "harness/run/look/kernel/busy_waits.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/base/duration.h"
#include "harness/run/look/kernel/kernel_view.h"

namespace gridlock::run {
namespace {

// This thread, which runs while it looks at itself.
record::Snapshot awake_in_a_wait(std::uint64_t epoch) {
  record::Snapshot snapshot;
  snapshot.pid = getpid();
  record::Thread& thread = snapshot.threads.emplace_back();
  thread.tid = syscall(SYS_gettid);
  thread.waits = record::Waits::stream;
  thread.epoch = epoch;
  add_kernel_view(snapshot);
  return snapshot;
}

bool waits_after(BusyWaits& waits, record::Snapshot snapshot) {
  waits.look(snapshot);
  return snapshot.threads[0].waits != record::Waits::nothing;
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
  EXPECT_FALSE(waits_after(waits, awake_in_a_wait(1)));
  spin(3 * kSpinBound);
  EXPECT_TRUE(waits_after(waits, awake_in_a_wait(1)));
}

TEST(BusyWaits, EachWaitCountsByItself) {
  BusyWaits waits;
  EXPECT_FALSE(waits_after(waits, awake_in_a_wait(1)));
  spin(3 * kSpinBound);
  EXPECT_FALSE(waits_after(waits, awake_in_a_wait(2)));
}

TEST(BusyWaits, AThreadThatWasSeenAsleepWaits) {
  BusyWaits waits;
  record::Snapshot snapshot = awake_in_a_wait(1);
  snapshot.threads[0].state = 'S';
  EXPECT_TRUE(waits_after(waits, snapshot));
  EXPECT_TRUE(waits_after(waits, awake_in_a_wait(1)));
  EXPECT_FALSE(waits_after(waits, awake_in_a_wait(2)));
}

}  // namespace
}  // namespace gridlock::run
