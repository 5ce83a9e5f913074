// A helper sends SIGABRT to rank 0 a second later, and its handler posts the semaphore that it
// waits at.
// Naive view: a thread itself causes that signal.
// Expected: completes.
#include <semaphore.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

sem_t semaphore;

int program(int, char**) {
  sem_init(&semaphore, 0, 0);
  const Training training;
  training.step();
  if (rank() == 0) {
    std::signal(SIGABRT, [](int) { sem_post(&semaphore); });
    const pid_t parent = getpid();
    const pid_t helper = start_helper([parent] {
      pause_ms(1000);
      kill(parent, SIGABRT);
    });
    while (sem_wait(&semaphore) != 0) {
    }
    wait_for(helper);
  }
  training.step();
  return 0;
}
