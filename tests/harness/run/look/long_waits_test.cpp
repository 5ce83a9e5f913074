// Waits that last while the rest of the job goes on.
#include "harness/run/look/long_waits.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000;
constexpr std::int64_t kAtLook = 1000 * kOneSecond;
constexpr Duration kLimit = 40s;

record::Thread waits_since(std::int64_t tid, std::int64_t seconds_ago) {
  record::Thread thread;
  thread.tid = tid;
  thread.waits = record::Waits::device;
  thread.since_ns = kAtLook - seconds_ago * kOneSecond;
  return thread;
}

record::Thread going_on(std::int64_t tid) {
  record::Thread thread = waits_since(tid, 1);
  thread.waits = record::Waits::nothing;
  return thread;
}

record::Snapshot ranks_box(int rank, std::vector<record::Thread> threads,
                           std::int64_t moved_seconds_ago) {
  record::Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.threads = std::move(threads);
  snapshot.last_change_ns = kAtLook - moved_seconds_ago * kOneSecond;
  return snapshot;
}

bool due(LongWaits& waits, const std::vector<record::Snapshot>& ranks,
         std::int64_t moved_seconds_ago = 1) {
  return waits.are_due(ranks, kAtLook - moved_seconds_ago * kOneSecond, kAtLook);
}

TEST(LongWaits, AreDueOnceWhoWaitsBecauseOfThemWaitsForAsLong) {
  LongWaits waits(kLimit);
  EXPECT_FALSE(due(waits, {ranks_box(0, {waits_since(1, 45)}, 45), ranks_box(1, {}, 1)}));
  EXPECT_TRUE(due(waits, {ranks_box(0, {waits_since(1, 51)}, 51), ranks_box(1, {}, 1)}));
}

TEST(LongWaits, ASilentJobIsToldOtherwise) {
  LongWaits waits(kLimit);
  EXPECT_FALSE(due(waits, {ranks_box(0, {waits_since(1, 51)}, 51)}, 30));
}

TEST(LongWaits, OfWhatIsGoneThereAreNone) {
  LongWaits waits(kLimit);
  record::Snapshot gone = ranks_box(0, {waits_since(1, 51)}, 51);
  gone.process = record::ProcessState::exited;
  EXPECT_FALSE(due(waits, {gone, ranks_box(1, {}, 1)}));
  record::Snapshot of_thread = ranks_box(0, {waits_since(1, 51)}, 51);
  of_thread.threads[0].exists = false;
  EXPECT_FALSE(due(waits, {of_thread, ranks_box(1, {}, 1)}));
}

TEST(LongWaits, AreToldOnce) {
  LongWaits waits(kLimit);
  std::vector ranks{ranks_box(0, {waits_since(1, 51)}, 51), ranks_box(1, {waits_since(2, 49)}, 49),
                    ranks_box(2, {going_on(3)}, 1)};
  ASSERT_TRUE(due(waits, ranks));
  EXPECT_TRUE(waits.explain(ranks, {}, nullptr, kAtLook));
  EXPECT_FALSE(due(waits, ranks));
}

TEST(LongWaits, MarkWhoGoesOnAndLeaveOutItsThreads) {
  const std::vector ranks{ranks_box(0, {waits_since(1, 50), going_on(2), waits_since(3, 2)}, 1),
                          ranks_box(1, {going_on(4), waits_since(5, 2)}, 1), ranks_box(2, {}, 60)};
  const std::int64_t before_ns = kAtLook - kLimit.count();
  const std::vector<record::Snapshot> marked = who_goes_on(ranks, before_ns);
  EXPECT_FALSE(marked[0].goes_on());
  EXPECT_TRUE(marked[0].threads[0].exists);
  EXPECT_FALSE(marked[0].threads[1].exists);
  EXPECT_FALSE(marked[0].threads[2].exists);
  EXPECT_TRUE(marked[1].goes_on());
  EXPECT_TRUE(marked[1].threads[0].exists);
  EXPECT_FALSE(marked[2].goes_on()) << "it has not moved for as long";
  EXPECT_EQ(sentence_on_long_waits(marked, before_ns, kAtLook),
            "Rank 1 goes on; a call of rank 0 has lasted for 50 s.");
}

// A service thread waits for its next task.
TEST(LongWaits, ARankGoesOnIfItsMainThreadDoes) {
  record::Snapshot serves = ranks_box(0, {going_on(7), waits_since(8, 50)}, 1);
  serves.pid = 7;
  const std::int64_t before_ns = kAtLook - kLimit.count();
  const std::vector<record::Snapshot> marked = who_goes_on(std::vector{serves}, before_ns);
  EXPECT_EQ(marked[0].goes_on_since_ns, before_ns);
  EXPECT_TRUE(marked[0].threads[0].exists);
}

TEST(LongWaits, AreToldLessAndLessOften) {
  LongWaits waits(kLimit);
  std::int64_t now_ns = kAtLook;
  const auto is_told = [&] {
    const std::vector ranks{
        ranks_box(0, {waits_since(1, 51 - (now_ns - kAtLook) / kOneSecond)}, 51)};
    if (!waits.are_due(ranks, now_ns, now_ns)) return false;
    return waits.explain(ranks, {}, nullptr, now_ns).has_value();
  };
  EXPECT_TRUE(is_told());
  now_ns += 39 * kOneSecond;
  EXPECT_FALSE(is_told()) << "another wait, too soon";
  now_ns += 2 * kOneSecond;
  EXPECT_TRUE(is_told());
  now_ns += 79 * kOneSecond;
  EXPECT_FALSE(is_told());
  now_ns += 2 * kOneSecond;
  EXPECT_TRUE(is_told());
}

TEST(LongWaits, ThreadsMayGoOnInTheRanksThatWait) {
  const std::vector ranks{ranks_box(0, {waits_since(1, 50), going_on(2)}, 1),
                          ranks_box(1, {waits_since(3, 45), going_on(4)}, 1)};
  const std::int64_t before_ns = kAtLook - kLimit.count();
  EXPECT_EQ(sentence_on_long_waits(who_goes_on(ranks, before_ns), before_ns, kAtLook),
            "Other threads go on; calls of ranks 0, 1 have lasted for 50 s.");
}

}  // namespace
}  // namespace gridlock::run
