// Both ends of a TCP connection in this process.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace gridlock::run {

// The one that connects, and the accepted one.
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

// Has the far end read a byte that it has not confirmed yet, and calls `check` then. The kernel
// confirms it after 40 ms, if nothing is sent back before. So it tries again if `check` says that
// it came too late; false: it always did.
template <class Check>
bool become_unconfirmed(const Connected& both, Check check) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int at_once = 0;
    setsockopt(both.far, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
    char byte = 'x';
    EXPECT_EQ(write(both.near, &byte, 1), 1);
    EXPECT_EQ(read(both.far, &byte, 1), 1);
    int unconfirmed = 0;
    EXPECT_EQ(ioctl(both.near, SIOCOUTQ, &unconfirmed), 0);
    if (unconfirmed != 0 && check()) return true;
  }
  return false;
}

}  // namespace gridlock::run
