// Rank 2 has one more batch. The others wait at a barrier of the store, whose server is in the
// launcher's agent, as torchrun's is. The agent also looks after its workers, ten times a second.
// Naive view: the server's process is awake, so it may answer.
// Expected: deadlock; rank 2 waits for the others, which wait for it at the store.
#include <poll.h>

#include <string_view>
#include <vector>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {2}).or_as("deadlock", "cycle", {0, 1, 2}).assuming(" "),
    .ranks = 3,
    .launcher = R"(export WORLD_SIZE=3 LOCAL_WORLD_SIZE=3 PORT=$((20000 + $$ % 10000))
                   for rank in 0 1 2; do
                     MASTER_PORT=$PORT STORE=$((PORT + 1)) RANK=$rank LOCAL_RANK=$rank "$0" &
                   done
                   MASTER_PORT=$((PORT + 1)) exec "$0" agent)"};

namespace {

int serve(int listener) {
  std::vector<pollfd> all{{listener, POLLIN, 0}};
  for (int came = 0; came < ranks();) {
    poll(all.data(), all.size(), 100);  // then it looks after its workers
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
  return 0;
}

int connect_to_store() {
  sockaddr_in server = rendezvous_address();
  server.sin_port = htons(static_cast<std::uint16_t>(number_from("STORE")));
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  demand(connect(client, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0);
  return client;
}

}  // namespace

int program(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "agent") return serve(store_listener());
  const Training training;
  training.step();
  const int store = connect_to_store();
  training.step();
  if (rank() == 2) training.step();
  tell(store);
  be_told(store);
  return 0;
}
