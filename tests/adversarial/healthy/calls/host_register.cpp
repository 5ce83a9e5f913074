// Rank 0 has posted a receive whose answer depends on what it sends next. Between the two it calls
// for half a second, beside load: cudaHostRegister and cudaHostUnregister wait for nobody.
// Naive: a rank preempted inside such a call "waits for the device", and so for the receive.
// Must be said: completes.
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
