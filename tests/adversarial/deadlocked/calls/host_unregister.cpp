// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two it
// calls cudaHostUnregister, which waits for the device. (CUDA's documents do not say so. An H100
// did.)
// Naive view: only frees wait for the device, so rank 0 is "in code that is not recorded".
// Expected: deadlock; a cycle of both.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    std::vector<char> host(1U << 20U, 1);
    check(cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaHostUnregister(host.data()));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
