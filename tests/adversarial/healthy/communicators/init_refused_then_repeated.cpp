// NCCL refuses the config that rank 1 passes to ncclCommInitRankConfig. Rank 1 corrects it and
// joins with the same unique id a moment later.
// Naive view: the refused call counts as a join, so the second call makes another communicator, and
// a member has left the first one.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  check(cudaSetDevice(rank()));
  const ncclUniqueId id = exchange_id(rank(), ranks());
  ncclComm_t world = nullptr;
  if (rank() == 1) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 7;
    if (ncclCommInitRankConfig(&world, ranks(), id, rank(), &config) == ncclSuccess) return 5;
    pause_ms(100);
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  check(ncclCommInitRankConfig(&world, ranks(), id, rank(), &config));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 1) pause_ms(400);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
