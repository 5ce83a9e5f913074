// Rank 0 has posted a receive whose answer depends on what it sends next. Between the two it calls
// for half a second, beside load: blocking copies of 0 bytes wait for nobody.
// Naive: a rank preempted inside such a call "waits for the device", and so for the receive.
// Must be said: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .beside_load = true};

int program(int, char**) {
  Two two(cudaStreamDefault);
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    const float host[16] = {};
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    for (const Deadline end = in_ms(500); !end.is_over();) {
      check(cudaMemcpy(two.y, host, 0, cudaMemcpyHostToDevice));
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
