// Which of the threads that can act a proof must know.
#include "harness/run/look/kernel/other_threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace gridlock::run {
namespace {

record::Sleeper acts(std::int64_t tid, std::int64_t limit_ns) {
  record::Sleeper one{.tid = tid, .process = 1, .sleep = {}};
  one.sleep.awake = limit_ns > 0 ? record::Awake::may_end : record::Awake::runs;
  one.sleep.limit_ns = limit_ns;
  one.sleep.by_clock = limit_ns > 0;
  return one;
}

std::vector<std::int64_t> those_of(std::vector<record::Sleeper> acting) {
  std::vector<std::int64_t> tids;
  for (const record::Sleeper& one : those_that_count(std::move(acting))) tids.push_back(one.tid);
  return tids;
}

TEST(OtherThreads, WhoSleepsLongestCountsAndWhoDoesNotSleepByTheClock) {
  EXPECT_EQ(those_of({acts(1, 5), acts(2, 9), acts(3, 7)}), std::vector<std::int64_t>{2});
  EXPECT_EQ(those_of({acts(1, 5), acts(2, 0), acts(3, 7)}), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(those_of({acts(1, 0), acts(2, 0)}), std::vector<std::int64_t>{1});
}

TEST(OtherThreads, WhoseLimitDoesNotShowCounts) {
  record::Sleeper hidden = acts(3, 0);
  hidden.sleep.has_hidden_limit = true;
  EXPECT_EQ(those_of({acts(1, 0), acts(2, 7), hidden}), (std::vector<std::int64_t>{2, 1, 3}));
}

TEST(OtherThreads, OneOfEachKindThatSleepsByTheClockCounts) {
  const auto until_woken_by = [](std::int64_t tid, std::vector<record::ProcessKey> wakers) {
    record::Sleeper one = acts(tid, tid);
    one.sleep.wakers = std::move(wakers);
    return one;
  };
  const auto only_sleeps = [](record::Sleeper one) {
    one.sleep.only_by_clock = true;
    return one;
  };
  const auto listens = [](record::Sleeper one) {
    one.sleep.listens = true;
    return one;
  };
  const auto has_name = [](record::Sleeper one) {
    one.sleep.has_name = one.sleep.by_anybody = true;
    return one;
  };
  const std::vector all{acts(9, 9),
                        until_woken_by(1, {1}),
                        until_woken_by(2, {7}),
                        until_woken_by(3, {1, 7}),
                        until_woken_by(4, {8}),
                        only_sleeps(acts(5, 5)),
                        only_sleeps(acts(6, 6)),
                        listens(acts(7, 7)),
                        has_name(until_woken_by(8, {7}))};
  EXPECT_EQ(those_of(all), (std::vector<std::int64_t>{9, 2, 4, 5, 7, 8}))
      << "1 is their own process";
  std::vector<record::Sleeper> beside_one_that_runs = all;
  beside_one_that_runs.push_back(acts(10, 0));
  EXPECT_EQ(those_of(beside_one_that_runs), (std::vector<std::int64_t>{9, 10}));
}

TEST(OtherThreads, AllSleepByTheClockIfNoneRuns) {
  EXPECT_TRUE(all_sleep_by_the_clock(std::vector{acts(1, 5), acts(2, 9)}));
  EXPECT_FALSE(all_sleep_by_the_clock(std::vector{acts(1, 5), acts(2, 0)}));
}

TEST(OtherThreads, AreListed) {
  std::thread thread([] {
    const std::vector<std::int64_t> all = threads_of(getpid());
    EXPECT_GE(all.size(), 2U);
    EXPECT_TRUE(std::ranges::count(all, gettid()) == 1);
  });
  thread.join();
  EXPECT_TRUE(threads_of(0x7ffffff0).empty()) << "it is gone";
}

}  // namespace
}  // namespace gridlock::run
