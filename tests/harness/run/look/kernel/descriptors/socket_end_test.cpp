// The other ends of real connections.
#include "harness/run/look/kernel/descriptors/socket_end.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "tests/harness/run/look/kernel/asleep.h"
#include "tests/harness/run/look/kernel/descriptors/connected.h"

namespace gridlock::run {
namespace {

std::string file_of(pid_t pid, int number) {
  std::array<char, 64> name{};
  const std::string link = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  return readlink(link.c_str(), name.data(), name.size() - 1) < 0 ? "" : name.data();
}

std::optional<SocketEnd> end_of(int number) {
  return socket_end(getpid(), number, file_of(getpid(), number));
}

// "": there is none, or it is not known.
std::string peer_of(int number) { return end_of(number).value_or(SocketEnd{}).peer; }

TEST(SocketEnd, HasAPeer) {
  for (const bool is_wide : {false, true}) {
    const Connected both(is_wide);
    EXPECT_EQ(peer_of(both.near), file_of(getpid(), both.far)) << is_wide;
    EXPECT_EQ(peer_of(both.far), file_of(getpid(), both.near)) << is_wide;
  }
}

TEST(SocketEnd, HasNoPeerToWaitForOnceDataHasCome) {
  const Connected both(false);
  ASSERT_EQ(write(both.near, "x", 1), 1);
  EXPECT_EQ(end_of(both.far), std::nullopt);
  EXPECT_EQ(peer_of(both.near), file_of(getpid(), both.far)) << "nothing has come here";
}

TEST(SocketEnd, HasAPeerBeforeThatConfirmsWhatItHasRead) {
  const Connected both(false);
  ASSERT_TRUE(become_unconfirmed(both, [&] {
    const SocketEnd near = end_of(both.near).value_or(SocketEnd{});
    EXPECT_EQ(near.peer, file_of(getpid(), both.far));
    EXPECT_EQ(peer_of(both.far), file_of(getpid(), both.near));
    return near.makes_room;
  }));
}

TEST(SocketEnd, HasNoPeerToWaitForWhileDataIsUnderWay) {
  const Connected both(false);
  const int small = 1;
  setsockopt(both.far, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  const std::string much(1 << 20, 'x');
  ASSERT_GT(send(both.near, much.data(), much.size(), MSG_DONTWAIT), 0);
  EXPECT_EQ(end_of(both.near), std::nullopt) << "the other end has no room for all of it";
}

TEST(SocketEnd, HasNoPeerOnceThatIsClosed) {
  const Connected both(false);
  shutdown(both.far, SHUT_RDWR);
  EXPECT_EQ(end_of(both.near), std::nullopt);
}

TEST(SocketEnd, SharesItsNameWithTheListener) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX}) {
    const int listener = socket(family, SOCK_STREAM, 0);
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    // A local socket gets a name that nobody else has.
    const socklen_t given = family == AF_UNIX   ? sizeof(sa_family_t)
                            : family == AF_INET ? sizeof(sockaddr_in)
                                                : sizeof(sockaddr_in6);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listener, any, given), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(getsockname(listener, any, &size), 0);
    const int near = socket(family, SOCK_STREAM, 0);
    ASSERT_EQ(connect(near, any, size), 0);
    const int far = accept(listener, nullptr, nullptr);
    const auto at_listener = end_of(listener);
    const auto accepted = end_of(far);
    ASSERT_TRUE(at_listener && accepted) << family;
    EXPECT_TRUE(at_listener->listens);
    EXPECT_EQ(at_listener->peer, "");
    EXPECT_FALSE(at_listener->name.empty());
    EXPECT_EQ(accepted->name, at_listener->name);
    EXPECT_EQ(accepted->peer, file_of(getpid(), near));
    EXPECT_NE(end_of(near).value_or(SocketEnd{}).name, at_listener->name);
    for (const int socket : {listener, near, far}) close(socket);
  }
}

TEST(SocketEnd, HasAFarLimitOrNone) {
  const Connected both(false);
  const auto limit = [&](time_t seconds) {
    const timeval value{.tv_sec = seconds, .tv_usec = 0};
    setsockopt(both.near, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
    return end_of(both.near);
  };
  EXPECT_FALSE(end_of(both.near).value_or(SocketEnd{.has_far_limit = true}).has_far_limit);
  EXPECT_TRUE(limit(1800).value_or(SocketEnd{}).has_far_limit);
  EXPECT_FALSE(limit(1800).value_or(SocketEnd{.has_near_limit = true}).has_near_limit);
  EXPECT_TRUE(limit(59).value_or(SocketEnd{}).has_near_limit) << "it may run off soon";
}

TEST(SocketEnd, HasAPeerInAnotherNetworkNamespace) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const Child child([&] {
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_flags = IFF_UP;
    const bool is_apart = unshare(CLONE_NEWNET) == 0 &&
                          ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, &loopback) == 0;
    std::array<int, 2> ends{-1, -1};
    if (is_apart) {
      const Connected both(false);
      ends = {both.near, both.far};
      static_cast<void>(write(ready[1], ends.data(), sizeof ends));
      pause();
    }
    static_cast<void>(write(ready[1], ends.data(), sizeof ends));
  });
  std::array<int, 2> ends{};
  ASSERT_EQ(read(ready[0], ends.data(), sizeof ends), static_cast<ssize_t>(sizeof ends));
  if (ends[0] < 0) GTEST_SKIP() << "no right to make a network namespace";
  const auto end = socket_end(child.pid(), ends[0], file_of(child.pid(), ends[0]));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->peer, file_of(child.pid(), ends[1]));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace gridlock::run
