// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it makes a blocking copy on the default stream, after a host function there. The receive is on a
// non-blocking stream, which the default stream does not wait for.
// Naive view: a blocking copy waits for the whole device.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    const float host[16] = {};
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    hold(nullptr);
    check(cudaMemcpy(two.y, host, sizeof host, cudaMemcpyHostToDevice));
    check(cudaStreamSynchronize(nullptr));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
