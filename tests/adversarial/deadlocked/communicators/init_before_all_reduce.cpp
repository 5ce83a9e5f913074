// Rank 0 makes a communicator with rank 1 before the all-reduce, and rank 1 behind it. The others
// have no part in it.
// Naive view: who is absent from the init is to blame, so ranks 1, 2 and 3 are.
// Expected: deadlock at an init, with rank 0 among those to blame. The record of rank 0 alone
// cannot say who the other member is.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("init", {0, 1, 2, 3}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  check(cudaDeviceSynchronize());
  ncclUniqueId id;
  if (rank() == 0) {
    check(ncclGetUniqueId(&id));
    check(cudaMemcpy(x, &id, sizeof id, cudaMemcpyHostToDevice));
  }
  check(ncclBroadcast(x, x, 32, ncclFloat, 0, world, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(&id, x, sizeof id, cudaMemcpyDeviceToHost));
  ncclComm_t pair = nullptr;
  if (rank() == 0) check(ncclCommInitRank(&pair, 2, id, 0));
  all_reduce(world, stream, x);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) check(ncclCommInitRank(&pair, 2, id, 1));
  return 0;
}
