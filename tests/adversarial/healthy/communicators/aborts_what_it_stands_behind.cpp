// Rank 1 has enqueued a collective behind a receive that nobody answers, and gives up the receive's
// communicator after a while. Then its stream goes on, and rank 0's wait ends.
// Naive view: an abort lets nobody else go, so rank 0 waits for ever.
// Expected: completes; at most a stall meanwhile, never a deadlock.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  const auto receive = [&] { check(ncclRecv(two.y, 8, ncclFloat, 0, two.second, two.on_first)); };
  // NCCL connects in the first message, and would wait there.
  if (rank() == 0) {
    check(ncclSend(two.y, 8, ncclFloat, 1, two.second, two.on_second));
  } else {
    receive();
    receive();
  }
  all_reduce(two.first, two.on_first, two.x);
  if (rank() == 1) {
    pause_ms(300);
    check(ncclCommAbort(two.second));
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
