// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it calls cudaHostRegister, which waits for nobody.
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
    constexpr std::size_t kPage = 4096;
    std::vector<char> host(kPage << 12U, 1);
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    const Deadline end = in_ms(500);
    for (std::size_t at = 0; at < host.size() && !end.is_over(); at += kPage) {
      check(cudaHostRegister(host.data() + at, kPage, cudaHostRegisterDefault));
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
