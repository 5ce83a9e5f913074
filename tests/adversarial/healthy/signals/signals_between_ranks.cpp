// Rank 0 waits on a semaphore until rank 1 asks it to go on (SIGCONT), and once more until rank 1
// asks it to end (SIGTERM). Its handler posts the semaphore.
// Naive view: a person or a launcher sends these signals, and they cannot end a hang.
// Expected: completes.
#include <semaphore.h>

#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static sem_t asked;

int program(int, char**) {
  const Training training;
  if (rank() == 0) std::ofstream(shared_file("pid")) << getpid();
  sem_init(&asked, 0, 0);
  for (const int number : {SIGCONT, SIGTERM}) {
    std::signal(number, [](int) { sem_post(&asked); });
    training.step();
    if (rank() == 0) {
      while (sem_wait(&asked) != 0) {
      }
    } else {
      pid_t first = 0;
      std::ifstream(shared_file("pid")) >> first;
      pause_ms(1000);
      kill(first, number);
    }
  }
  training.step();
  return 0;
}
