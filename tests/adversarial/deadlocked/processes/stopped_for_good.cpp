// Rank 1 has stopped itself (SIGSTOP), and rank 0 waits for it in a collective. Any process may
// continue it.
// Expected: a stall, rank 1 is to blame; or a deadlock that names this as its assumption.
#include <csignal>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {1})
                                          .or_as("stall", "host_stuck", {1})
                                          .or_as("deadlock", "missing_rank", {1})
                                          .assuming(" ")};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) raise(SIGSTOP);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
