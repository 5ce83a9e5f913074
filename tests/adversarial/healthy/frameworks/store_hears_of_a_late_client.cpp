// All ranks are connected to the store in rank 0 and wait there for a client that comes 2.5 s
// later: a process that rank 1 has started. Naive view: the store has all its clients, and all of
// them wait. Expected: completes.
#include <poll.h>

#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

namespace {

// Serves until a client has told it something, and tells all others.
void serve(int listener) {
  std::vector<pollfd> all{{listener, POLLIN, 0}};
  int who = 0;
  while (who == 0) {
    poll(all.data(), all.size(), -1);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if ((all[i].revents & POLLIN) != 0) who = all[i].fd;
    }
    if ((all[0].revents & POLLIN) != 0) {
      all.push_back({accept(listener, nullptr, nullptr), POLLIN, 0});
    }
  }
  be_told(who);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].fd != who) tell(all[i].fd);
  }
}

}  // namespace

int program(int, char**) {
  const Training training;
  const int listener = rank() == 0 ? store_listener() : -1;
  std::thread server;
  if (rank() == 0) server = std::thread(serve, listener);
  training.step();
  const int store = store_client();
  training.step();
  pid_t helper = -1;
  if (rank() == 1) {
    helper = start_helper([] {
      pause_ms(2500);
      tell(store_client());
    });
  }
  be_told(store);
  training.step();
  if (helper > 0) wait_for(helper);
  if (server.joinable()) server.join();
  return 0;
}
