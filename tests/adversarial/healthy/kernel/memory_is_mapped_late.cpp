// Rank 0 waits at a semaphore in memory without a name (memfd_create), which its helper holds as a
// descriptor alone, and maps a second later to post.
// Naive view: no other process maps that memory, so nobody can wake the rank.
// Expected: completes.
#include <semaphore.h>
#include <sys/mman.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

sem_t* map(int file) {
  void* memory = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<sem_t*>(memory);
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const int file = memfd_create("semaphore", MFD_CLOEXEC);
    if (ftruncate(file, sizeof(sem_t)) != 0) return 5;
    start_helper([&] {
      pause_ms(1000);
      sem_post(map(file));
    });
    sem_t* semaphore = map(file);
    close(file);
    sem_init(semaphore, 1, 0);
    sem_wait(semaphore);
  }
  training.step();
  return 0;
}
