// Rank 0 waits on a semaphore for a chain of continuations, each of which runs in a thread of its
// own that starts the next one and ends. The last one posts, 4 s later.
// Naive view: every thread that was listed sleeps or has just ended.
// Expected: completes.
#include <semaphore.h>

#include "tests/adversarial/setup/detached.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static sem_t done;

static void go_on(Deadline end) {
  if (end.is_over()) {
    sem_post(&done);
  } else {
    start_detached([end] { go_on(end); });
  }
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    sem_init(&done, 0, 0);
    go_on(in_ms(4000));
    while (sem_wait(&done) != 0) {
    }
  }
  training.step();
  return 0;
}
