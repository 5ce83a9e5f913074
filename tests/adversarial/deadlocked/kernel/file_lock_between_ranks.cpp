// Rank 0 holds the lock of a cache's file during a collective. Rank 1 waits for that lock before it
// joins the collective.
// Naive view: a wait for a file lock is outside recorded calls, so rank 1 can act.
// Expected: deadlock; a cycle of both, through the lock.
#include <fcntl.h>
#include <sys/file.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const int cache = open(shared_file("cache").c_str(), O_RDWR | O_CREAT, 0600);
  if (rank() == 0 && flock(cache, LOCK_EX) != 0) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1 && flock(cache, LOCK_EX) != 0) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
