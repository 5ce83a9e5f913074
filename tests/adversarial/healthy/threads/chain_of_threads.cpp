// Rank 0 waits on a semaphore for a chain of continuations, each of which runs in a thread of its
// own that starts the next one and ends. The last one posts, 4 s later.
// Naive view: every thread that was listed sleeps or has just ended.
// Expected: completes.
#include <pthread.h>
#include <semaphore.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static sem_t done;

// The threads are detached from the start: in glibc before 2.41, whoever detaches a thread that is
// just ending may read what it has freed.
static void* go_on(void* end);
static void start_next(const Deadline* end) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t next{};
  if (pthread_create(&next, &attributes, go_on, const_cast<Deadline*>(end)) != 0) std::_Exit(2);
  pthread_attr_destroy(&attributes);
}

static void* go_on(void* end) {
  const auto* deadline = static_cast<const Deadline*>(end);
  if (deadline->is_over()) {
    sem_post(&done);
  } else {
    start_next(deadline);
  }
  return nullptr;
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    sem_init(&done, 0, 0);
    const Deadline end = in_ms(4000);
    start_next(&end);
    while (sem_wait(&done) != 0) {
    }
  }
  training.step();
  return 0;
}
