// Rank 0 waits at a semaphore whose file was linked into a subfolder of /dev/shm and then lost its
// first name. A helper of rank 1 opens it by the other name a second later, and posts.
// Naive view: the kernel calls the file deleted, so nobody can open it.
// Expected: completes.
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <string>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

sem_t* map(int file) {
  void* memory = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<sem_t*>(memory);
}

int program(int, char**) {
  const Training training;
  // The ranks of one run have the same launcher.
  const std::string folder = "/dev/shm/gridlock-adversarial-" + std::to_string(getppid());
  const std::string first = folder + ".new", other = folder + "/semaphore";
  sem_t* semaphore = nullptr;
  if (rank() == 0) {
    const int file = open(first.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (mkdir(folder.c_str(), 0700) != 0 || ftruncate(file, sizeof(sem_t)) != 0) return 5;
    semaphore = map(file);
    close(file);
    sem_init(semaphore, 1, 0);
    if (link(first.c_str(), other.c_str()) != 0 || unlink(first.c_str()) != 0) return 6;
  }
  training.step();
  if (rank() == 0) sem_wait(semaphore);
  if (rank() == 1) {
    start_helper([&] {
      pause_ms(1000);
      sem_t* late = map(open(other.c_str(), O_RDWR));
      unlink(other.c_str());
      rmdir(folder.c_str());
      sem_post(late);
    });
  }
  training.step();
  return 0;
}
