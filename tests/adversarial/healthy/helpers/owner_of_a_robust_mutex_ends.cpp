// Ranks share a robust mutex in memory. A thread of rank 1's that holds it ends without giving it
// back, after a sleep: the kernel then wakes rank 0 (EOWNERDEAD). Rank 1's main thread waits for
// rank 0 in a collective meanwhile.
// Naive view: nobody unlocks the mutex.
// Expected: completes.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const std::string name = shared_name("mutex");
  const int memory = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (ftruncate(memory, 4096) != 0) return 5;
  auto* mutex = static_cast<pthread_mutex_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
  const Training training;
  if (rank() == 1) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
    shm_unlink(name.c_str());
  }
  std::thread holder;
  if (rank() == 1) {
    holder = std::thread([&] {
      pthread_mutex_lock(mutex);
      pause_ms(2500);
    });
    pause_ms(100);
  }
  training.step();
  if (rank() == 0 && pthread_mutex_lock(mutex) != EOWNERDEAD) return 6;
  training.step();
  if (holder.joinable()) holder.join();
  return 0;
}
