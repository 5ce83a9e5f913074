// Whether a process that polls a descriptor sleeps, by kind of descriptor.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <ostream>
#include <string>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

struct Polled {
  const char* name;
  int (*make)();  // makes a descriptor on which nothing ever arrives
  bool asleep;
};
std::ostream& operator<<(std::ostream& out, const Polled& one) { return out << one.name; }

int armed_timer() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const itimerspec later{.it_interval = {}, .it_value = {.tv_sec = 3600, .tv_nsec = 0}};
  timerfd_settime(timer, 0, &later, nullptr);
  return timer;
}

int end_of_a_pipe() {
  static std::array<int, 2> ends{};
  return pipe(ends.data()) == 0 ? ends[0] : -1;
}

int set_of(int descriptor) {
  const int set = epoll_create1(0);
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
  return set;
}

const Polled kPolled[] = {
    {"counter", [] { return eventfd(0, EFD_CLOEXEC); }, true},
    {"pipe", end_of_a_pipe, true},
    {"set_of_a_pipe", [] { return set_of(end_of_a_pipe()); }, true},
    {"timer", armed_timer, false},
    {"set_of_a_timer", [] { return set_of(armed_timer()); }, false},
    {"disarmed_timer", [] { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }, true},
    {"listening",
     [] {
       const int server = socket(AF_INET, SOCK_STREAM, 0);
       listen(server, 1);
       return server;
     },
     false},
};

class Polling : public testing::TestWithParam<Polled> {};

TEST_P(Polling, SleepsWhereAllOfTheDescriptorsDo) {
  Child child([] {
    pollfd one{.fd = GetParam().make(), .events = POLLIN, .revents = 0};
    poll(&one, 1, -1);
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_poll, job, job[0], child.pid());
  EXPECT_EQ(sleep.asleep, GetParam().asleep);
  EXPECT_EQ(wakers(sleep), sleep.asleep ? Keys{child.key()} : Keys{});
  EXPECT_TRUE(sleep.on.starts_with(sleep.asleep ? "descriptor " : "")) << sleep.on;
}

INSTANTIATE_TEST_SUITE_P(Descriptors, Polling, testing::ValuesIn(kPolled),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gridlock::run
