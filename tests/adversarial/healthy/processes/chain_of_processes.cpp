// Rank 0 waits at a named semaphore that it alone maps. A daemon of rank 1 works in a chain of
// short processes, each of which starts the next one and ends; the last one opens the semaphore
// and posts, 1.5 s later.
// Naive view: every process that was listed sleeps or has just ended.
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
    wait_for(start_helper([&] {
      for (const Deadline end = in_ms(1500); !end.is_over();) {
        if (fork() != 0) _exit(0);
      }
      sem_t* late = sem_open(name.c_str(), 0);
      sem_unlink(name.c_str());
      sem_post(late);
    }));
  }
  training.step();
  return 0;
}
