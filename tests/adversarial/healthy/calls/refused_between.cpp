// Rank 0 has an all-reduce on a blocking stream, makes calls on the legacy stream that CUDA and
// NCCL refuse, and tells rank 1 on another blocking stream, after 900 ms of other work there. Only
// then does rank 1 come.
// Naive view: these are work on the legacy stream, and so come between the two streams.
// Expected: completes, also under Gridlock, which may put no work of its own there.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaStream_t other = make_stream(cudaStreamDefault);
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    int own = 0;
    if (cudaMemset(&own, 0, sizeof own) == cudaSuccess ||
        ncclBroadcast(two.y, two.y, 8, ncclFloat, 7, two.second, nullptr) == ncclSuccess) {
      return 5;
    }
    hold_for_long(other);
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, other));
    check(cudaStreamSynchronize(other));
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
