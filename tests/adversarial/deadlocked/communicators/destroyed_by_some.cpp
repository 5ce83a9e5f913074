// Three of four ranks destroy the communicator; the last one makes one more collective on it.
// Expected: deadlock; rank 3 has made one call too many.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("rank_exited", {3})
                                          .or_as("deadlock", "missing_rank", {3})
                                          .or_as("deadlock", "cycle", {3}),
                            .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < (rank() == 3 ? 4 : 3); ++step) all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  check(ncclCommDestroy(world));
  return 0;
}
