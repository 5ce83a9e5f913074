// A mutex in shared memory guards a file. Rank 1 holds it for 500 ms while rank 0 waits for it, and
// rank 2 waits for both in a collective.
// Naive view: rank 0 sleeps on a futex that no thread of its own process can release.
// Expected: completes.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const int file = open(shared_file("mutex").c_str(), O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0) return 5;
  auto* mutex = static_cast<pthread_mutex_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  if (rank() == 1) {
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &shared);
    pthread_mutex_lock(mutex);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) pthread_mutex_lock(mutex);
  if (rank() == 1) {
    pause_ms(500);
    pthread_mutex_unlock(mutex);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
