// Sleeps until a time that is near, and who may end them before.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

// Who may end a sleep with a near limit before it, if that is known: a proof may assume that the
// sleeper then sleeps again.
TEST(SleepingByClock, MayHaveWakers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto look_at = [](std::int64_t number, const std::function<void()>& wait) {
    Child child(wait);
    const std::vector<JobProcess> job{child.in_job(), itself()};
    Sleep sleep = sleep_in(number, job, job[0], child.pid());
    EXPECT_FALSE(sleep.asleep);
    std::erase(sleep.wakers, child.key());
    return sleep;
  };
  const Sleep naps =
      look_at(SYS_clock_nanosleep, [] { std::this_thread::sleep_for(std::chrono::seconds(50)); });
  EXPECT_TRUE(naps.by_clock);
  EXPECT_TRUE(naps.only_by_clock);
  EXPECT_TRUE(naps.wakers.empty());
  const Sleep condition = look_at(SYS_futex, [] {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable().wait_for(lock, std::chrono::seconds(30));
  });
  EXPECT_TRUE(condition.by_clock);
  EXPECT_FALSE(condition.only_by_clock);
  EXPECT_TRUE(condition.wakers.empty());
  const auto polls = [&](int limit_ms) {
    return look_at(SYS_poll, [&] {
      pollfd polled{ends[0], POLLIN, 0};
      poll(&polled, 1, limit_ms);
    });
  };
  EXPECT_TRUE(polls(30'000).by_clock);
  EXPECT_EQ(wakers(polls(30'000)), Keys{itself().key});
  const Sleep selects = look_at(SYS_pselect6, [&] {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    timeval limit{.tv_sec = 30, .tv_usec = 0};
    select(ends[0] + 1, &set, nullptr, nullptr, &limit);
  });
  EXPECT_TRUE(selects.by_clock);
  EXPECT_EQ(wakers(selects), Keys{itself().key});
  const Sleep loop = look_at(SYS_epoll_wait, [&] {
    const int set = epoll_create1(0);
    epoll_event event{.events = EPOLLIN, .data = {}};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    epoll_wait(set, &event, 1, 30'000);
  });
  EXPECT_TRUE(loop.by_clock);
  EXPECT_EQ(wakers(loop), Keys{itself().key});
  close(ends[1]);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  itimerspec ring{.it_interval = {}, .it_value = {.tv_sec = 20, .tv_nsec = 0}};
  timerfd_settime(timer, 0, &ring, nullptr);
  std::swap(ends[0], ends[1]);
  ends[0] = timer;
  EXPECT_FALSE(polls(30'000).by_clock) << "the timer ends it too";
  close(timer);
  close(ends[1]);
}

// A program that has nothing left to do may wait so for a signal.
TEST(SleepingByClock, WhoPollsNothingWithoutALimitSleepsForGood) {
  for (const auto& [number, wait] : std::vector<std::pair<std::int64_t, std::function<void()>>>{
           {SYS_poll, [] { poll(nullptr, 0, -1); }},
           {SYS_pselect6, [] { select(0, nullptr, nullptr, nullptr, nullptr); }}}) {
    Child child(wait);
    const std::vector<JobProcess> job{child.in_job()};
    const Sleep sleep = sleep_in(number, job, job[0], child.pid());
    EXPECT_TRUE(sleep.asleep) << number;
    EXPECT_TRUE(sleep.wakers.empty()) << number;
  }
}

// It may look for the end of one (Python's Popen.wait() with a limit).
TEST(SleepingByClock, WhoOnlySleepsMayHaveChildren) {
  Child child([] { std::this_thread::sleep_for(std::chrono::seconds(50)); });
  std::vector<JobProcess> job{child.in_job(), itself()};
  job[1].parent = child.pid();
  EXPECT_EQ(wakers(sleep_in(SYS_clock_nanosleep, job, job[0], child.pid())), Keys{job[1].key});
  Child polls([] { poll(nullptr, 0, 50'000); });
  const std::vector<JobProcess> other{polls.in_job(), itself()};
  const Sleep nothing = sleep_in(SYS_poll, other, other[0], polls.pid());
  EXPECT_TRUE(nothing.only_by_clock) << "it polls nothing";
  EXPECT_TRUE(nothing.wakers.empty());
}

}  // namespace
}  // namespace gridlock::run
