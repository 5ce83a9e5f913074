// Rank 1's data loader is killed (out of memory: SIGKILL). Nobody reaps it, and rank 1 waits for
// its next batch at a semaphore in memory that they shared. The others wait for rank 1 in a
// collective.
// Naive view: a loader may still post the semaphore.
// Expected: deadlock; rank 1 is to blame.
#include <semaphore.h>
#include <sys/mman.h>

#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("self", {1}).or_as("deadlock", "host_stuck", {1}),
                            .ranks = 3};

int program(int, char**) {
  void* memory =
      mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* batches = static_cast<sem_t*>(memory);
  sem_init(batches, 1, 0);
  start_helper([=] {
    for (int batch = 0; batch < 3; ++batch) sem_post(batches);
    pause_ms(300);
    if (rank() == 1) kill(getpid(), SIGKILL);
    for (int batch = 0; batch < 3; ++batch) sem_post(batches);
  });
  const Training training;
  for (int step = 0; step < 6; ++step) {
    sem_wait(batches);
    training.step();
  }
  return 0;
}
