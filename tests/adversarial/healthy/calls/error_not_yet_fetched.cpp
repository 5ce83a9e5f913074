// A call fails. The program lets the legacy stream wait for an event, and only then asks what the
// error was.
// Naive view: a tool may ask CUDA about an event; whether it has occurred is an error code too.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  all_reduce(world, stream, data);
  hold(stream);
  check(cudaEventRecord(event, stream));
  int own = 0;
  const cudaError_t failed = cudaFree(&own);
  check(cudaStreamWaitEvent(nullptr, event, 0));
  if (failed == cudaSuccess || cudaGetLastError() != failed) return 9;
  check(cudaDeviceSynchronize());
  return 0;
}
