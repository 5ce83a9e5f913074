// Before its training, each rank checks its device 40 times: streams, events and pinned memory,
// which a cudaDeviceReset takes away each time. Then the ranks wait for each other by turns.
// Naive view: who makes a stream destroys it.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  for (int i = 0; i < 40; ++i) {
    void* pinned = nullptr;
    check(cudaMallocHost(&pinned, 4096));
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    for (int k = 0; k < 8; ++k) {
      const cudaStream_t stream =
          make_stream(k % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking);
      check(cudaLaunchHostFunc(
          stream, [](void*) {}, nullptr));
      check(cudaEventRecord(event, stream));
    }
    check(cudaLaunchHostFunc(
        nullptr, [](void*) {}, nullptr));
    check(cudaDeviceReset());
  }
  const Training training;
  for (int i = 0; i < 4; ++i) {
    if (rank() == i % 2) pause_ms(1200);
    training.step();
  }
  return 0;
}
