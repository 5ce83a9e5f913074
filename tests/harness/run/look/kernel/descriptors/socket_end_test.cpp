// The other ends of real connections.
#include "harness/run/look/kernel/descriptors/socket_end.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

std::string file_of(pid_t pid, int number) {
  std::array<char, 64> name{};
  const std::string link = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  return readlink(link.c_str(), name.data(), name.size() - 1) < 0 ? "" : name.data();
}

// Two ends of a TCP connection on this machine: the one that connects, and the accepted one.
struct Connected {
  int near = -1;
  int far = -1;

  // If `is_wide`, the accepted one is a socket of IPv6 that speaks IPv4.
  explicit Connected(bool is_wide) {
    const int listener = socket(is_wide ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    sockaddr_storage any{};
    any.ss_family = is_wide ? AF_INET6 : AF_INET;
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&any),
                   is_wide ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)),
              0);
    EXPECT_EQ(listen(listener, 1), 0);
    socklen_t size = sizeof any;
    getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size);
    sockaddr_in address{};
    std::memcpy(&address, &any, sizeof address);  // the port lies at the same place in both kinds
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    near = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(near, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    far = accept(listener, nullptr, nullptr);
    close(listener);
  }
  Connected(const Connected&) = delete;
  Connected& operator=(const Connected&) = delete;
  ~Connected() {
    close(near);
    close(far);
  }
};

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

// The kernel acknowledges what has been read after 40 ms, if nothing is sent back before.
TEST(SocketEnd, HasAPeerBeforeThatAcknowledgesWhatItHasRead) {
  const Connected both(false);
  const int at_once = 0;
  setsockopt(both.far, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
  std::array<char, 2> bytes{};
  bool was_open = false;
  for (int message = 0; message < 8; ++message) {
    ASSERT_EQ(write(both.near, "x", 1), 1);
    ASSERT_EQ(read(both.far, bytes.data(), bytes.size()), 1);
    int unacknowledged = 0;
    ASSERT_EQ(ioctl(both.near, SIOCOUTQ, &unacknowledged), 0);
    const std::string peer = peer_of(both.near);
    EXPECT_EQ(peer, file_of(getpid(), both.far)) << "after message " << message;
    EXPECT_EQ(peer_of(both.far), file_of(getpid(), both.near)) << "after message " << message;
    was_open = was_open || unacknowledged != 0;
  }
  EXPECT_TRUE(was_open) << "the kernel acknowledged each message at once";
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
  EXPECT_EQ(limit(59), std::nullopt) << "it may run off soon";
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
