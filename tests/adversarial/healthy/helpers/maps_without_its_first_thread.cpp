// Rank 0 waits at a semaphore in memory that it shares with a helper. The helper's first thread has
// ended (pthread_exit), so /proc shows no memory of it. Another of its threads posts a second
// later.
// Naive view: nobody else maps that memory.
// Expected: completes.
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    void* memory =
        mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 5;
    auto* semaphore = static_cast<sem_t*>(memory);
    sem_init(semaphore, 1, 0);
    const pid_t helper = start_helper([semaphore] {
      std::thread([semaphore] {
        pause_ms(1000);
        sem_post(semaphore);
        _exit(0);
      }).detach();
      pthread_exit(nullptr);
    });
    sem_wait(semaphore);
    wait_for(helper);
  }
  training.step();
  return 0;
}
