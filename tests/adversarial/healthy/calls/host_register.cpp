// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it calls cudaHostRegister and cudaHostUnregister, which wait for
// nobody. (CUDA documents no wait. An H100 waited for the device in cudaHostUnregister, so there
// this program may hang.)
// Naive view: a rank that is preempted inside such a call "waits for the device", and so for the
// receive.
// Expected: completes.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .beside_load = true};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    std::vector<char> host(16U << 20U, 1);
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    for (const Deadline end = in_ms(500); !end.is_over();) {
      check(cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault));
      check(cudaHostUnregister(host.data()));
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
