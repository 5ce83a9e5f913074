// As gate_behind_a_copy, but the all-reduce is on a communicator that does not block: NCCL launches
// it by itself, and the rank learns of that later. In between, another thread copies in the default
// stream, behind a host function that ends only after the all-reduce.
// Naive view: what NCCL has launched has just been put on its stream.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/gate.h"

constinit const Trial trial{.expect = completes()};

namespace {

void until_ready(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) check(ncclCommGetAsyncError(communicator, &state));
  check(state);
}

}  // namespace

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  const ncclResult_t begun =
      ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config);
  if (begun != ncclInProgress) check(begun);
  until_ready(world);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) stream = make_stream(cudaStreamDefault);
  float* data = device_floats();
  const ncclResult_t called = ncclAllReduce(data, data, 8, ncclFloat, ncclSum, world, streams[0]);
  if (called != ncclInProgress) check(called);
  if (rank() == 1) {
    until_ready(world);
    check(cudaStreamSynchronize(streams[0]));
    return 0;
  }
  pause_ms(200);  // launched by now
  Gate gate;
  std::thread other([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    gate.close(streams[1]);
    const float host[16] = {};
    check(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  });
  pause_ms(200);  // it copies by now
  until_ready(world);
  check(cudaStreamSynchronize(streams[0]));
  gate.open();
  other.join();
  check(cudaDeviceSynchronize());
  return 0;
}
