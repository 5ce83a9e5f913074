// A barrier of a key-value store, whose server is a thread of rank 0. Rank 0 is also its client.
#pragma once

#include <poll.h>

#include <thread>
#include <vector>

#include "tests/adversarial/setup/store.h"

inline void serve_barrier(int listener) {
  std::vector<pollfd> clients;
  clients.reserve(static_cast<std::size_t>(ranks()));
  for (int i = 0; i < ranks(); ++i)
    clients.push_back({accept(listener, nullptr, nullptr), POLLIN, 0});
  close(listener);
  for (int left = ranks(); left > 0;) {
    poll(clients.data(), clients.size(), -1);
    for (const pollfd& client : clients) {
      if ((client.revents & POLLIN) == 0) continue;
      be_told(client.fd);
      --left;
    }
  }
  for (const pollfd& client : clients) tell(client.fd);
}

// How a client waits for the server with a time limit.
enum class LimitOf { socket, poll };

// Rank 2 has one more batch than the others, which wait at the barrier.
//   limit_s  for a client to hear of the server; 0: none
inline int meet_at_the_store(int limit_s, LimitOf limit_of = LimitOf::socket) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  std::thread server;
  if (rank() == 0) server = std::thread(serve_barrier, store_listener());
  const auto batch = [&] {
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  };
  batch();
  const int store = store_client();
  const timeval limit{.tv_sec = limit_s, .tv_usec = 0};
  if (limit_of == LimitOf::socket) {
    setsockopt(store, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  batch();
  if (rank() == 2) batch();
  tell(store);
  pollfd answer{store, POLLIN, 0};
  if (limit_of == LimitOf::poll) demand(poll(&answer, 1, 1000 * limit_s) == 1);
  be_told(store);
  if (server.joinable()) server.join();
  return 0;
}
