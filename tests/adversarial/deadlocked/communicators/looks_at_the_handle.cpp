// A non-blocking split, where the program looks whether the child's handle is there, and then asks
// the child. Rank 2 leaves out an all-reduce on the child, in which the others wait, and goes to the
// next one on the world.
// Naive view: nobody asked whether the split has ended, so it goes on.
// Expected: deadlock; rank 2 is missing.
#include <atomic>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}), .ranks = 3};

namespace {
void await(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(comm, &state));
    pause_ms(1);
  }
  check(state);
}
void begin(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}
}  // namespace

int program(int, char**) {
  check(cudaSetDevice(rank()));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  static ncclComm_t child = nullptr;
  begin(ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config));
  await(world);
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  begin(ncclCommSplit(world, 0, rank(), &child, &config));
  while (std::atomic_ref(child).load() == nullptr) pause_ms(1);
  await(child);
  for (const ncclComm_t comm : {child, world}) {
    if (rank() == 2 && comm == child) continue;
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, comm, stream));
    await(comm);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
