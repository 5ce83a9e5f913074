// Rank 2 leaves without the all-reduce that the others are in. Rank 0 aborts a second later, and
// only then waits no more. On our NCCL that helps nobody else. The real one's kernel then posts the
// steps that are left, without data, so rank 1's all-reduce ends too: real_nccl_test.cpp.
// Expected: deadlock, rank 2 is to blame.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("rank_exited", {2}), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 2) return 0;
  all_reduce(world, stream, data);
  if (rank() == 0) {
    pause_ms(1000);
    check(ncclCommAbort(world));
    return 0;
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
