// A non-blocking communicator's all-reduce is on a blocking stream. A watchdog has heard from the
// communicator that it is there. Then the main thread closes a gate on the legacy stream, asks the
// communicator too, waits for the all-reduce, and opens the gate.
// Naive view: when the communicator reports to the thread that called, marks may still be put on
// the stream: the recorder has seen nothing on the legacy stream.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/word_gate.h"

constinit const Trial trial{.expect = completes()};

namespace {
void wait_until_ready(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(comm, &state));
    pause_ms(1);
  }
  check(state);
}
void check_begun(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}
}  // namespace

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  check_begun(
      ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config));
  wait_until_ready(world);
  const WordGate gate;
  float* data = device_floats();
  check(cudaDeviceSynchronize());
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  check_begun(ncclAllReduce(data, data, 8, ncclFloat, ncclSum, world, blocking));
  std::thread([&] { wait_until_ready(world); }).join();
  gate.close(nullptr);
  wait_until_ready(world);
  check(cudaStreamSynchronize(blocking));
  gate.open();
  check(cudaDeviceSynchronize());
  check_begun(ncclCommFinalize(world));
  wait_until_ready(world);
  check(ncclCommDestroy(world));
  return 0;
}
