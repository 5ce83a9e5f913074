// Rank 0 has an all-reduce on a blocking stream, sets and copies no bytes on the legacy stream, and
// tells rank 1 on another blocking stream, after 900 ms of other work there. Only then does rank 1
// come.
// Naive view: these are work on the legacy stream, and so come between the two streams.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaStream_t other = make_stream(cudaStreamDefault);
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaMemset(two.x, 0, 0));
    check(cudaMemcpyAsync(two.x, two.y, 0, cudaMemcpyDeviceToDevice, nullptr));
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
