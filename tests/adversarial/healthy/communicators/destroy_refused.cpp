// A nonblocking communicator is being made. Rank 0's patience ends and it destroys it, which NCCL
// refuses; so it waits on, and uses it once it is ready.
// Naive view: the refused call counts, so rank 0 has left the communicator.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {

void await(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) check(ncclCommGetAsyncError(comm, &state));
  check(state);
}

}  // namespace

int program(int, char**) {
  check(cudaSetDevice(rank()));
  const ncclUniqueId id = exchange_id(rank(), ranks());
  if (rank() == 1) pause_ms(200);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  const ncclResult_t begun = ncclCommInitRankConfig(&world, ranks(), id, rank(), &config);
  if (begun != ncclInProgress && begun != ncclSuccess) return 5;
  if (rank() == 0 && ncclCommDestroy(world) == ncclSuccess) return 6;
  await(world);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) pause_ms(500);
  const ncclResult_t called = ncclAllReduce(data, data, 1024, ncclFloat, ncclSum, world, stream);
  if (called != ncclInProgress && called != ncclSuccess) return 7;
  await(world);
  check(cudaStreamSynchronize(stream));
  return 0;
}
