// Rank 0 has an all-reduce on a blocking stream, copies between devices on the legacy stream
// (cudaMemcpyPeerAsync), and tells rank 1 on another blocking stream. Only then does rank 1 come.
// Naive view: the copy is not recorded, so nothing comes between the two streams.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaStream_t other = make_stream(cudaStreamDefault);
  float* to = device_floats();
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaMemcpyPeerAsync(to, rank(), two.y, rank(), 64, nullptr));
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, other));
    check(cudaStreamSynchronize(other));
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
