// Rank 0 makes a blocking copy on the legacy stream, which waits for a blocking stream. A
// collective there waits for rank 1, and rank 1 waits for rank 0's next call after the copy.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two(cudaStreamDefault);
  const float host[16] = {};
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaMemcpy(two.y, host, sizeof host, cudaMemcpyHostToDevice));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
