// A datagram from outside the job, at a socket that then sends a signal (O_ASYNC).
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "tests/adversarial/setup/job.h"

inline sockaddr_in at_this_machine(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// By the outsider: sends one, this long after the socket is there.
inline int send_datagram(int after_ms) {
  while (access(shared_file("port").c_str(), F_OK) != 0) pause_ms(1);
  pause_ms(after_ms);
  int port = 0;
  std::ifstream(shared_file("port")) >> port;
  const sockaddr_in to = at_this_machine(port);
  sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, reinterpret_cast<const sockaddr*>(&to),
         sizeof to);
  return 0;
}

// The calling process gets `signal` when a datagram comes.
class SignallingSocket {
 public:
  explicit SignallingSocket(int signal = SIGIO) : socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    const sockaddr_in any = at_this_machine(0);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) std::_Exit(5);
    fcntl(socket_, F_SETOWN, getpid());
    fcntl(socket_, F_SETSIG, signal);
    fcntl(socket_, F_SETFL, O_ASYNC | O_NONBLOCK);
  }
  // Tells the outsider where it is.
  void announce() const {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    const std::string name = shared_file("port");
    std::ofstream(name + "_") << ntohs(at.sin_port);
    rename((name + "_").c_str(), name.c_str());
  }
  int descriptor() const { return socket_; }

 private:
  int socket_;
};
