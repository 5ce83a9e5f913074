// Rank 0 waits at a semaphore that it alone maps, while rank 1 waits for it in a collective. A
// helper of rank 1 opens the semaphore by its name a second later, and posts.
// Naive view: no other process maps that memory, so nobody can wake the rank.
// Expected: completes.
#include <fcntl.h>
#include <semaphore.h>

#include <string>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const std::string name = shared_name("lock");
  sem_t* semaphore = rank() == 0 ? sem_open(name.c_str(), O_CREAT, 0600, 0) : nullptr;
  training.step();
  if (rank() == 0) sem_wait(semaphore);
  if (rank() == 1) {
    start_helper([&] {
      pause_ms(1000);
      sem_t* late = sem_open(name.c_str(), 0);
      sem_unlink(name.c_str());
      sem_post(late);
    });
  }
  training.step();
  return 0;
}
