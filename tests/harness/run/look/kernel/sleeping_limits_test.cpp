// Sleeps that have a time limit, near or far.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

TEST(SleepingLimits, ATimeLimitMayRunOffUnlessItIsFar) {
  const auto look_at_one_with = [](std::chrono::seconds limit) {
    Child child([=] {
      std::mutex mutex;
      std::condition_variable condition;
      std::unique_lock lock(mutex);
      condition.wait_for(lock, limit);
    });
    const std::vector<JobProcess> job{child.in_job()};
    return sleep_in(SYS_futex, job, job[0], child.pid());
  };
  const Sleep near = look_at_one_with(std::chrono::seconds(30));
  EXPECT_FALSE(near.asleep);
  EXPECT_GT(std::chrono::nanoseconds(near.limit_ns), std::chrono::seconds(10));
  EXPECT_LE(std::chrono::nanoseconds(near.limit_ns), std::chrono::seconds(30));
  const Sleep sleep = look_at_one_with(std::chrono::hours(1));
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.has_far_limit);
}

// A poll of one descriptor waits for the other end, a poll of several is the loop of a program.
TEST(SleepingLimits, AFarLimitOfAPollCountsIfItHasOneDescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto look_at_one_with = [&](nfds_t count, int seconds) {
    Child child([=] {
      std::array<pollfd, 2> polled{{{ends[0], POLLIN, 0}, {ends[0], POLLIN, 0}}};
      poll(polled.data(), count, 1000 * seconds);
    });
    const std::vector<JobProcess> job{child.in_job(), itself()};
    return sleep_in(SYS_poll, job, job[0], child.pid());
  };
  const Sleep sleep = look_at_one_with(1, 1800);
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.has_far_limit);
  EXPECT_FALSE(look_at_one_with(1, -1).has_far_limit);
  EXPECT_FALSE(look_at_one_with(1, 30).asleep);
  EXPECT_FALSE(look_at_one_with(2, 1800).asleep);
  EXPECT_FALSE(look_at_one_with(0, 1'800).asleep);
  close(ends[0]);
  close(ends[1]);
}

TEST(SleepingLimits, ATimerMayRunOff) {
  Child child([] { std::this_thread::sleep_for(std::chrono::seconds(50)); });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_clock_nanosleep, job, job[0], child.pid());
  EXPECT_FALSE(sleep.asleep);
  EXPECT_EQ(std::chrono::nanoseconds(sleep.limit_ns), std::chrono::seconds(50));
}

TEST(SleepingLimits, EachCallWithALimitTellsIt) {
  const auto limit_in = [](std::int64_t number, const std::function<void()>& wait) {
    Child child(wait);
    const std::vector<JobProcess> job{child.in_job()};
    const Sleep sleep = sleep_in(number, job, job[0], child.pid());
    EXPECT_FALSE(sleep.asleep);
    return std::chrono::nanoseconds(sleep.limit_ns);
  };
  static constexpr timespec kLimit{.tv_sec = 30, .tv_nsec = 0};
  EXPECT_EQ(limit_in(SYS_rt_sigtimedwait,
                     [] {
                       sigset_t set;
                       sigemptyset(&set);
                       sigaddset(&set, SIGUSR1);
                       sigprocmask(SIG_BLOCK, &set, nullptr);
                       sigtimedwait(&set, nullptr, &kLimit);
                     }),
            std::chrono::seconds(30));
  const int semaphore = semget(IPC_PRIVATE, 1, 0600);
  EXPECT_EQ(limit_in(SYS_semtimedop,
                     [semaphore] {
                       sembuf take{.sem_num = 0, .sem_op = -1, .sem_flg = 0};
                       semtimedop(semaphore, &take, 1, &kLimit);
                     }),
            std::chrono::seconds(30));
  semctl(semaphore, 0, IPC_RMID);
  const auto left = limit_in(SYS_mq_timedreceive, [] {
    mq_attr attributes{};
    attributes.mq_maxmsg = 1;
    attributes.mq_msgsize = 8;
    const mqd_t queue = mq_open("/gridlock_limits", O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink("/gridlock_limits");
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kLimit.tv_sec;
    char message[8];
    mq_timedreceive(queue, message, sizeof message, nullptr, &until);
  });
  EXPECT_GT(left, std::chrono::seconds(10));
  EXPECT_LE(left, std::chrono::seconds(30));
}

TEST(SleepingLimits, ALimitOnASocketMayRunOff) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const timeval limit{.tv_sec = 30, .tv_usec = 0};
  ASSERT_EQ(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  Child reader([&] {
    char byte = 0;
    static_cast<void>(recv(ends[0], &byte, 1, 0));
  });
  const std::vector<JobProcess> job{reader.in_job(), itself()};
  const Sleep sleep = sleep_in(SYS_recvfrom, job, job[0], reader.pid());
  EXPECT_FALSE(sleep.asleep);
  EXPECT_GE(std::chrono::nanoseconds(sleep.limit_ns), std::chrono::seconds(30));
  close(ends[0]);
  close(ends[1]);
}

TEST(SleepingLimits, ASelectMayRunOff) {
  Child child([] {
    timeval limit{.tv_sec = 30, .tv_usec = 0};
    select(0, nullptr, nullptr, nullptr, &limit);
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_pselect6, job, job[0], child.pid());
  EXPECT_FALSE(sleep.asleep);
  EXPECT_EQ(std::chrono::nanoseconds(sleep.limit_ns), std::chrono::seconds(30));
}

TEST(SleepingLimits, AnEventLoopSleepsUntilItsTimerFires) {
  const auto look_at_one_with = [](time_t seconds) {
    Child child([=] {
      const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
      const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_nsec = 5}};
      timerfd_settime(timer, 0, &once, nullptr);
      const int set = epoll_create1(0);
      epoll_event event{};
      event.events = EPOLLIN;
      epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
      epoll_wait(set, &event, 1, -1);
    });
    const std::vector<JobProcess> job{child.in_job()};
    return sleep_in(SYS_epoll_wait, job, job[0], child.pid());
  };
  const Sleep near = look_at_one_with(30);
  EXPECT_FALSE(near.asleep);
  EXPECT_GT(std::chrono::nanoseconds(near.limit_ns), std::chrono::seconds(10));
  EXPECT_LE(std::chrono::nanoseconds(near.limit_ns), std::chrono::seconds(31));
  const Sleep far = look_at_one_with(1800);
  EXPECT_FALSE(far.asleep);
  EXPECT_EQ(far.limit_ns, 0);
}

int timer_of_30_s() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = 30, .tv_nsec = 0}};
  timerfd_settime(timer, 0, &once, nullptr);
  return timer;
}
int set_with(int number) {
  const int set = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = number;
  epoll_ctl(set, EPOLL_CTL_ADD, number, &event);
  return set;
}
void poll_for_ever(int number) {
  pollfd polled{.fd = number, .events = POLLIN, .revents = 0};
  poll(&polled, 1, -1);
}

struct Waiting {
  const char* name;
  std::int64_t number;  // of the system call
  void (*wait)();       // for 30 s
};

const Waiting kWaiting[] = {
    {"in_a_poll_for_a_timer", SYS_poll, [] { poll_for_ever(timer_of_30_s()); }},
    {"in_a_poll_for_a_set_with_a_timer", SYS_poll,
     [] { poll_for_ever(set_with(timer_of_30_s())); }},
    {"in_a_set_of_a_set", SYS_epoll_wait,
     [] {
       epoll_event event{};
       epoll_wait(set_with(set_with(timer_of_30_s())), &event, 1, -1);
     }},
    {"in_a_select_for_a_timer", SYS_pselect6,
     [] {
       const int timer = timer_of_30_s();
       fd_set set;
       FD_ZERO(&set);
       FD_SET(timer, &set);
       select(timer + 1, &set, nullptr, nullptr, nullptr);
     }},
    {"in_an_accept", SYS_accept,
     [] {
       const int listener = socket(AF_INET, SOCK_STREAM, 0);
       const timeval limit{.tv_sec = 30, .tv_usec = 0};
       setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
       listen(listener, 1);
       accept(listener, nullptr, nullptr);
     }},
    {"in_a_send", SYS_sendto,
     [] {
       std::array<int, 2> ends{};
       socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
       const timeval limit{.tv_sec = 30, .tv_usec = 0};
       setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
       const std::array<char, 4096> page{};
       while (send(ends[0], page.data(), page.size(), 0) > 0) {
       }
     }},
    {"by_atomic_time", SYS_clock_nanosleep,
     [] {
       timespec until{};
       clock_gettime(CLOCK_TAI, &until);
       until.tv_sec += 30;
       clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &until, nullptr);
     }},
};

TEST(SleepingLimits, AreFoundWhereverTheyStand) {
  for (const Waiting& one : kWaiting) {
    SCOPED_TRACE(one.name);
    Child child(one.wait);
    const std::vector<JobProcess> job{child.in_job()};
    const Sleep sleep = sleep_in(one.number, job, job[0], child.pid());
    EXPECT_FALSE(sleep.asleep);
    EXPECT_GT(std::chrono::nanoseconds(sleep.limit_ns), std::chrono::seconds(20));
    EXPECT_LT(std::chrono::nanoseconds(sleep.limit_ns), std::chrono::seconds(40));
  }
}

// The counter that the set watches has lost its number to the set.
TEST(SleepingLimits, ASetThatSeemsToHoldItselfHasNone) {
  Child child([] {
    const int counter = eventfd(0, 0);
    static_cast<void>(dup(counter));  // so that it stays open
    const int set = set_with(counter);
    dup2(set, counter);
    epoll_event event{};
    epoll_wait(set, &event, 1, -1);
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_epoll_wait, job, job[0], child.pid());
  EXPECT_FALSE(sleep.asleep);
  EXPECT_EQ(sleep.limit_ns, 0);
}

}  // namespace
}  // namespace gridlock::run
