// Rank 0 alone sees an error, revokes the world and splits what is left of it. Nobody tells ranks 1
// and 2, which wait for it in the next all-reduce.
// Naive view: rank 0 waits for the two others, which have not called the split, so they are to
// blame. Expected: deadlock. Rank 0 is missing in the all-reduce, and the others in its split.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {0})
                                          .or_as("deadlock", "cycle", {0, 1, 2})
                                          .or_as("deadlock", "cycle", {0}),
                            .ranks = 3};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    check(ncclCommRevoke(world, NCCL_REVOKE_DEFAULT));
    static_cast<void>(twin_of(world));
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
