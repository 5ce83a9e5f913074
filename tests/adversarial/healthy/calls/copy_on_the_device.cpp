// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it copies from device to device with cudaMemcpyDefault, which does
// not block the host.
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
    int copies = 0;
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    for (const Deadline end = in_ms(500); !end.is_over();) {
      check(cudaMemcpy(two.y + 512, two.y, 64, cudaMemcpyDefault));
      if (++copies == 5000) break;
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
