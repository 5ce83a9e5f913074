// Rank 2 aborts the communicator (it saw an error) and ends; the others wait in a collective on it.
// Expected: deadlock, rank 2 is to blame.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect =
        deadlock("missing_rank", {2}).or_as("deadlock", "rank_exited", {2}).or_as("fails", "", {2}),
    .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 2) {
    check(ncclCommAbort(world));
    return 0;
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
