// Who can end a wait at a real descriptor.
#include "harness/run/look/kernel/descriptors/holders.h"

#include <gtest/gtest.h>
#include <linux/net_tstamp.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "harness/base/file_descriptor.h"
#include "tests/harness/run/look/kernel/descriptors/connected.h"

namespace gridlock::run {
namespace {

std::array<JobProcess, 1> this_process() {
  return {JobProcess{.pid = getpid(), .parent = getppid(), .key = 7, .is_rank = true}};
}

// A confirmation makes room. It wakes who writes, without any process that does something.
TEST(Holders, AConfirmationOfWhatWasReadMayWakeWhoWrites) {
  const Connected both(false);
  const auto job = this_process();
  ASSERT_TRUE(become_unconfirmed(both, [&] {
    Holders holders(job, Scope::host, false);
    const auto of_writer = holders.wakers(getpid(), both.near, Wanted::anything);
    const auto of_reader = holders.wakers(getpid(), both.near, Wanted::data);
    EXPECT_TRUE(of_reader && of_reader->keys == std::vector<record::ProcessKey>{7});
    return !of_writer;
  }));
}

int set_of(int file, std::uint32_t events) {
  const int set = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = events;
  EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, file, &event), 0);
  return set;
}

// An event loop mostly waits for data, and asks for room only while it has something to send.
TEST(Holders, AConfirmationWakesAnEventLoopOnlyIfThatAsksForRoom) {
  const Connected both(false);
  const FileDescriptor for_data(set_of(both.near, EPOLLIN));
  const FileDescriptor for_room(set_of(both.near, EPOLLIN | EPOLLOUT));
  const auto job = this_process();
  ASSERT_TRUE(become_unconfirmed(both, [&] {
    Holders holders(job, Scope::host, false);
    const auto of_reader = holders.wakers(getpid(), for_data.get(), Wanted::anything);
    EXPECT_TRUE(of_reader && std::ranges::count(of_reader->keys, 7U) > 0);
    return !holders.wakers(getpid(), for_room.get(), Wanted::anything);
  }));
}

// The kernel puts what it says of them into the socket's queue of errors.
TEST(Holders, AConfirmationWakesEachPollOfASocketThatAsksForConfirmations) {
  for (const int name : {SO_ZEROCOPY, SO_TIMESTAMPING}) {
    const Connected both(false);
    const int on = name == SO_ZEROCOPY ? 1 : SOF_TIMESTAMPING_TX_ACK;
    ASSERT_EQ(setsockopt(both.near, SOL_SOCKET, name, &on, sizeof on), 0);
    const FileDescriptor for_data(set_of(both.near, EPOLLIN));
    const auto job = this_process();
    EXPECT_TRUE(become_unconfirmed(both, [&] {
      Holders holders(job, Scope::host, false);
      return !holders.wakers(getpid(), for_data.get(), Wanted::anything) &&
             !holders.wakers(getpid(), both.near, Wanted::events);
    }));
  }
}

// Gloo's sockets have limits for their calls, and its event loop polls them.
TEST(Holders, ASocketsOwnTimeLimitIsNoneOfAPoll) {
  const Connected both(false);
  const auto job = this_process();
  const auto limit_of = [&](time_t seconds, Wanted wanted) {
    const timeval limit{.tv_sec = seconds, .tv_usec = 0};
    setsockopt(both.near, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return Holders(job, Scope::host, false).wakers(getpid(), both.near, wanted);
  };
  EXPECT_FALSE(limit_of(5, Wanted::data)) << "it may run off soon";
  EXPECT_TRUE(limit_of(1800, Wanted::data).value_or(Wakers{}).has_far_limit);
  for (const time_t seconds : {5, 1800}) {
    const auto polled = limit_of(seconds, Wanted::events);
    EXPECT_TRUE(polled && !polled->has_far_limit);
  }
}

TEST(Holders, OnceItHasComeNothingWakesWhoWritesButTheOtherEnd) {
  const Connected both(false);
  const auto job = this_process();
  Holders holders(job, Scope::host, false);
  const auto of_writer = holders.wakers(getpid(), both.near, Wanted::anything);
  EXPECT_TRUE(of_writer && of_writer->keys == std::vector<record::ProcessKey>{7});
}

}  // namespace
}  // namespace gridlock::run
