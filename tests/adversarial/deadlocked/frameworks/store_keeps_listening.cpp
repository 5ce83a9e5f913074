// Rank 2 has one more batch. The others wait at a barrier of the store, whose server is a thread of
// rank 0 that listens as long as it lives, as PyTorch's TCPStore does.
// Naive view: somebody may still connect, so the server's thread may wake.
// Expected: deadlock; rank 2 is to blame, or the cycle of all. That nobody connects may be assumed.
#include <poll.h>

#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {2}).assuming(" "),
    .ranks = 3};

namespace {

void serve(int listener) {
  std::vector<pollfd> all{{listener, POLLIN, 0}};
  for (int came = 0; came < ranks();) {
    poll(all.data(), all.size(), -1);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if ((all[i].revents & POLLIN) == 0) continue;
      be_told(all[i].fd);
      ++came;
    }
    if ((all[0].revents & POLLIN) != 0) {
      all.push_back({accept(listener, nullptr, nullptr), POLLIN, 0});
    }
  }
  for (std::size_t i = 1; i < all.size(); ++i) tell(all[i].fd);
}

}  // namespace

int program(int, char**) {
  const Training training;
  std::thread server;
  if (rank() == 0) server = std::thread(serve, store_listener());
  training.step();
  const int store = store_client();
  training.step();
  if (rank() == 2) training.step();
  tell(store);
  be_told(store);
  if (server.joinable()) server.join();
  return 0;
}
