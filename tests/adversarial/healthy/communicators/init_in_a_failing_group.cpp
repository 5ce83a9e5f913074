// A group of rank 0 makes the world and sends to itself without the other half: NCCL makes the
// world and then refuses the message. The program repeats the message correctly, and uses the
// world.
// Naive view: the group failed, so the world was not made.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  check(cudaSetDevice(rank()));
  const ncclUniqueId id = exchange_id(rank(), ranks());
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t world = nullptr;
  if (rank() == 0) {
    ncclUniqueId own;
    check(ncclGetUniqueId(&own));
    ncclComm_t one = nullptr;
    check(ncclCommInitRank(&one, 1, own, 0));
    check(ncclGroupStart());
    check(ncclCommInitRank(&world, ranks(), id, rank()));
    check(ncclSend(data, 8, ncclFloat, 0, one, stream));
    if (ncclGroupEnd() == ncclSuccess) return 5;
  } else {
    check(ncclCommInitRank(&world, ranks(), id, rank()));
  }
  if (rank() == 0) pause_ms(600);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
