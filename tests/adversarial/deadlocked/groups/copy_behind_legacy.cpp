// A blocking copy goes to the legacy stream, which waits for a blocking stream, on which a
// collective waits for rank 1, which waits for what rank 0 does behind the copy. Must be said:
// deadlock; a cycle of both.
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
