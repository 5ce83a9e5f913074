// Three ranks with a non-blocking communicator. Ranks 1 and 2 split it and poll until it is
// ready; the split stands in a branch that rank 0 does not take, which waits in a reduction
// instead.
// Expected: a deadlock in truth; ranks that poll can act, so a stall that blames rank 0.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {0}).or_as("stall", "missing_rank", {0}),
    .ranks = 3,
    .options = {"--stall-limit", "3s"}};

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  const auto wait_until_ready = [&] {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress) {
      check(ncclCommGetAsyncError(world, &state));
      pause_ms(1);
    }
    check(state);
  };
  ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config);
  wait_until_ready();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() != 0) {
    ncclComm_t part = nullptr;
    ncclCommSplit(world, 0, rank(), &part, &config);
    wait_until_ready();
  }
  ncclAllReduce(data, data, 64, ncclFloat, ncclSum, world, stream);
  wait_until_ready();
  check(cudaStreamSynchronize(stream));
  return 0;
}
