// Rank 1 waits for the lock of a cache's file. Rank 0's child inherited the lock, and gives it up
// when it has filled the cache. Rank 0 waits in a collective meanwhile.
// Naive view: rank 1 waits for rank 0's lock, and rank 0 for rank 1: a cycle.
// Expected: completes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const int cache = open(shared_file("cache").c_str(), O_RDWR | O_CREAT, 0600);
  if (rank() == 0 && flock(cache, LOCK_EX) != 0) return 5;
  const pid_t child = rank() == 0 ? fork() : -1;
  if (child == 0) {
    pause_ms(400);
    _exit(flock(cache, LOCK_UN));
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1 && flock(cache, LOCK_EX) != 0) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (child > 0) waitpid(child, nullptr, 0);
  return 0;
}
