// Rank 2 has one more batch. The others wait at a barrier of the store, whose server is a thread of
// rank 0, with a time limit of half an hour at their sockets (SO_RCVTIMEO), as PyTorch's clients.
// Naive view: who has a time limit may go on, so it is a slow rank.
// Expected: deadlock; rank 2 is to blame, or the cycle of all. That the limit is far may be
// assumed.
#include <poll.h>

#include <thread>
#include <vector>

#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {2}).assuming(" "),
    .ranks = 3};

namespace {

void serve(int listener) {
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

}  // namespace

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  std::thread server;
  if (rank() == 0) server = std::thread(serve, store_listener());
  const auto batch = [&] {
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  };
  batch();
  const int store = store_client();
  const timeval limit{.tv_sec = 1800, .tv_usec = 0};
  setsockopt(store, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  batch();
  if (rank() == 2) batch();
  tell(store);
  be_told(store);
  if (server.joinable()) server.join();
  return 0;
}
