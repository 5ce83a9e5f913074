// Ranks of a node share a semaphore (sem_open) as a lock for the download of the data. Rank 0
// holds it over a collective; rank 1 wants it before that collective.
// Expected: deadlock; both ranks.
#include <fcntl.h>
#include <semaphore.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const std::string name = shared_name("lock");
  const Training training;
  sem_t* lock = sem_open(name.c_str(), O_CREAT, 0600, 1);
  if (lock == SEM_FAILED) return 5;
  training.step();
  sem_unlink(name.c_str());
  if (rank() == 0) sem_wait(lock);
  training.step();
  if (rank() == 1) {
    sem_wait(lock);
    sem_post(lock);
  }
  training.step();
  if (rank() == 0) sem_post(lock);
  return 0;
}
