// A group of rank 0 has an all-reduce on each of two communicators, the second one on a stream of
// another device by mistake. NCCL launches the first one and refuses the second, which rank 0
// repeats. Then rank 2 is late for the first communicator, while rank 0 waits for a message from
// rank 1.
// Naive view: a group that fails has launched nothing, so rank 0 is one call behind.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .options = kStandsBriefly};

int program(int, char**) {
  Two two;
  cudaStream_t other = make_stream();
  if (rank() == 0) {
    check(cudaSetDevice(3));
    cudaStream_t elsewhere = make_stream();
    check(cudaSetDevice(0));
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    all_reduce(two.second, elsewhere, two.y);
    if (ncclGroupEnd() == ncclSuccess) return 5;
  } else {
    all_reduce(two.first, two.on_first, two.x);
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaDeviceSynchronize());
  if (rank() == 2) pause_ms(900);
  all_reduce(two.first, two.on_first, two.x);
  if (rank() == 0) check(ncclRecv(two.y, 8, ncclFloat, 1, two.second, other));
  check(cudaStreamSynchronize(rank() == 0 ? other : two.on_first));
  if (rank() == 1) check(ncclSend(two.y, 8, ncclFloat, 0, two.second, other));
  check(cudaDeviceSynchronize());
  return 0;
}
