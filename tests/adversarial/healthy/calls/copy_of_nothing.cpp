// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it makes blocking copies of 0 bytes, which wait for nobody.
// Naive view: a rank that is preempted inside such a call "waits for the device", and so for the
// receive.
// Expected: completes.
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
