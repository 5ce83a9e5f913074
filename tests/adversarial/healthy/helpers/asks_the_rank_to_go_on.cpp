// Rank 0 waits on a semaphore. Its handler of SIGTERM posts it, and its helper sends that signal
// after a second.
// Naive view: SIGTERM comes from a person, and cannot end a hang.
// Expected: completes.
#include <semaphore.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static sem_t asked;

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    sem_init(&asked, 0, 0);
    std::signal(SIGTERM, [](int) { sem_post(&asked); });
    const pid_t helper = start_helper([] {
      pause_ms(1000);
      kill(getppid(), SIGTERM);
    });
    while (sem_wait(&asked) != 0) {
    }
    wait_for(helper);
  }
  training.step();
  return 0;
}
