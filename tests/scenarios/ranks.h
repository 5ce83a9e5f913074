// Ranks as threads of the test, each with its own Rank. The first exception is rethrown.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "scenarios/runtime/rank.h"

namespace gridlock::testing {

// A port that was free a moment ago.
inline int free_port() {
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  // If this fails, the port is 0, and connecting to it fails with a message.
  static_cast<void>(bind(socket_, reinterpret_cast<sockaddr*>(&address), length));
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  close(socket_);
  return ntohs(address.sin_port);
}

inline Environment environment(int rank, int ranks, int port) {
  return {.rank = rank,
          .world_size = ranks,
          .local_rank = rank,
          .local_world_size = ranks,
          .master_addr = "127.0.0.1",
          .master_port = port};
}

inline void run_threads(int ranks, const std::function<void(int)>& run) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  threads.reserve(errors.size());
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        run(rank);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

inline void run_ranks(int ranks, const std::function<void(Rank&)>& run) {
  const int port = free_port();
  run_threads(ranks, [&](int at) {
    Rank rank(environment(at, ranks, port));
    run(rank);
  });
}

}  // namespace gridlock::testing
