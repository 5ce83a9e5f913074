// Rank 1 locks a mutex that it holds, and has a thread that listens for commands of rank 0 all the
// time. The others wait in the next step.
// Naive view: rank 1 may wait for that thread, and so for rank 0.
// Expected: deadlock; rank 1 alone, because the mutex says who holds it.
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = stuck_by_itself(1), .ranks = 3};

int program(int, char**) {
  const Training training;
  const int listener = rank() == 0 ? store_listener() : -1;
  training.step();
  int peer = -1;
  if (rank() == 0) peer = accept(listener, nullptr, nullptr);
  if (rank() == 1) peer = store_client();
  close(listener);
  std::thread commands;
  if (rank() == 1) {
    commands = std::thread([peer] {
      for (char command = 0; recv(peer, &command, 1, 0) == 1;) {
      }
    });
  }
  training.step();
  std::mutex log;
  if (rank() == 1) {
    log.lock();
    pthread_mutex_lock(log.native_handle());
  }
  training.step();
  std::_Exit(0);
}
