// What Gloo's CPU collectives look like from outside: a connection for each pair of ranks, a thread
// that polls them all, and callers that wait at a condition variable for that thread. (Gloo's looks
// every 10 ms whether it is to end, and its sockets have a limit of half an hour.)
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

class Mesh {
 public:
  // Collective  all ranks.
  // Blocks      until all are connected.
  explicit Mesh(const Training& training, int round_ms = -1)
      : round_ms_(round_ms), peers_(static_cast<std::size_t>(ranks()), -1) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof own;
    demand(bind(listener, reinterpret_cast<sockaddr*>(&own), size) == 0 &&
           listen(listener, ranks()) == 0 &&
           getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size) == 0);
    std::FILE* out = std::fopen(address_file(rank()).c_str(), "w");
    demand(out != nullptr && std::fwrite(&own, sizeof own, 1, out) == 1 && std::fclose(out) == 0);
    training.step();  // all files are there
    for (int peer = 0; peer < rank(); ++peer) connect_to(peer);
    for (int peer = rank() + 1; peer < ranks(); ++peer) {
      const int connection = accept(listener, nullptr, nullptr);
      int who = 0;
      demand(recv(connection, &who, sizeof who, MSG_WAITALL) == sizeof who);
      send_at_once(connection);
      peers_[static_cast<std::size_t>(who)] = connection;
    }
    close(listener);
    std::thread(&Mesh::hear, this).detach();
  }

  // Collective  all ranks.
  // Blocks      until all have called it as often.
  void barrier() {
    ++barriers_;
    for (const int peer : peers_) {
      if (peer >= 0) tell(peer);
    }
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return heard_ >= barriers_ * (ranks() - 1); });
  }

 private:
  static std::string address_file(int of) { return shared_file("address" + std::to_string(of)); }

  // As Gloo does: otherwise a byte may lie here until the one before is confirmed, after 40 ms.
  static void send_at_once(int connection) {
    const int on = 1;
    demand(setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    const timeval limit{.tv_sec = 1800, .tv_usec = 0};
    for (const int name : {SO_RCVTIMEO, SO_SNDTIMEO}) {
      demand(setsockopt(connection, SOL_SOCKET, name, &limit, sizeof limit) == 0);
    }
  }

  void connect_to(int peer) {
    sockaddr_in address{};
    std::FILE* in = std::fopen(address_file(peer).c_str(), "r");
    demand(in != nullptr && std::fread(&address, sizeof address, 1, in) == 1);
    std::fclose(in);
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    const int own = rank();
    demand(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
           send(connection, &own, sizeof own, MSG_NOSIGNAL) == sizeof own);
    send_at_once(connection);
    peers_[static_cast<std::size_t>(peer)] = connection;
  }

  void hear() {
    const int set = epoll_create1(EPOLL_CLOEXEC);
    for (int peer : peers_) {
      if (peer < 0) continue;
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = peer;
      demand(epoll_ctl(set, EPOLL_CTL_ADD, peer, &event) == 0);
    }
    while (true) {
      epoll_event event{};
      if (epoll_wait(set, &event, 1, round_ms_) != 1) continue;
      char byte = 0;
      if (recv(event.data.fd, &byte, 1, 0) != 1) {  // it has ended
        epoll_ctl(set, EPOLL_CTL_DEL, event.data.fd, nullptr);
        continue;
      }
      const std::scoped_lock lock(mutex_);
      ++heard_;
      news_.notify_all();
    }
  }

  int round_ms_;            // the event loop's limit
  std::vector<int> peers_;  // connections, by rank
  std::mutex mutex_;
  std::condition_variable news_;
  int heard_ = 0;
  int barriers_ = 0;
};
