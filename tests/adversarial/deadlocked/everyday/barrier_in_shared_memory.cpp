// The ranks of a host meet at a barrier in shared memory (pthread_barrier_t, in a file of
// /dev/shm that has no name any more) and at collectives. Rank 1 calls the all-reduce first and
// the barrier after it, the others the other way round.
// Naive view: whoever maps the memory may wake them.
// Expected: deadlock; rank 1 is missing at the barrier, or a cycle.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "cycle", {0, 1, 2})
                                          .or_as("deadlock", "cycle", {0, 1})
                                          .or_as("deadlock", "host_stuck", {0, 2}),
                            .ranks = 3};

int program(int, char**) {
  const Training training;
  const std::string name =
      "/dev/shm/adversarial-barrier-" + std::to_string(number_from("MASTER_PORT"));
  const auto map = [&](int flags) {
    const int file = open(name.c_str(), O_RDWR | flags, 0600);
    if (file < 0 || ftruncate(file, 4096) != 0) std::_Exit(5);
    void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return static_cast<pthread_barrier_t*>(memory);
  };
  pthread_barrier_t* barrier = nullptr;
  if (rank() == 0) {
    barrier = map(O_CREAT | O_TRUNC);
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &shared, 3);
  }
  training.step();
  if (rank() != 0) barrier = map(0);
  training.step();
  if (rank() == 0) unlink(name.c_str());
  if (rank() == 1) training.step();
  pthread_barrier_wait(barrier);
  if (rank() != 1) training.step();
  return 0;
}
