// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it tries to make communicators as rank 5 of 2, and by a split with
// an invalid colour. NCCL refuses both at once.
// Naive view: a rank that is preempted inside such a call waits for the other members.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .beside_load = true};

int program(int, char**) {
  const Two two;
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    for (const Deadline end = in_ms(500); !end.is_over();) {
      ncclComm_t made = nullptr;
      if (ncclCommInitRank(&made, 2, id, 5) == ncclSuccess) return 5;
      if (ncclCommSplit(two.second, -7, 0, &made, nullptr) == ncclSuccess) return 6;
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
