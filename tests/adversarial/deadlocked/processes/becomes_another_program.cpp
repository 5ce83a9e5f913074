// Rank 1 replaces itself by exec with a program that sleeps, while rank 0 waits for it in a
// collective. The process is the same and alive, but its state is gone.
// Naive view: rank 1 is alive, so it may come.
// Expected: a stall or a deadlock, and rank 1 is to blame.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("rank_exited", {1})
                                          .or_as("deadlock", "missing_rank", {1})
                                          .or_as("stall", "host_stuck", {1})
                                          .assuming(" ")};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) execl("/bin/sleep", "sleep", "1000", nullptr);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
