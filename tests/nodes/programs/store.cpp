// Ranks on several hosts that meet at a key-value store, whose server is a thread of rank 0. The
// last rank does not come to the store. `store extra_batch`: it has one more all-reduce instead, so
// all wait for ever. `store helper` and `store ring`: a process that it has started, or the kernel,
// comes for it after a while.
#include <string_view>
#include <thread>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/ring.h"
#include "tests/adversarial/setup/store_barrier.h"

int main(int argc, char** argv) {
  const std::string_view who = argc > 1 ? argv[1] : "extra_batch";
  const Training training;
  std::thread server;
  if (rank() == 0) server = std::thread(serve_barrier, store_listener());
  training.step();
  const int store = store_client();
  pid_t helper = 0;
  if (rank() != ranks() - 1) {
    tell(store);
    be_told(store);
  } else if (who == "helper") {
    helper = start_helper([&] {
      pause_ms(1500);
      tell(store);
    });
  } else if (who == "ring") {
    demand(write_later(store));
  }
  training.step();
  if (helper > 0) wait_for(helper);
  if (server.joinable()) server.join();
  return 0;
}
