// While a stream is captured in the global mode, the legacy stream waits for an event that is past.
// Naive view: to ask CUDA whether the event is past changes nothing. But in such a capture it is a
// forbidden call, which invalidates the capture.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  float* data = device_floats();
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  all_reduce(world, stream, data);
  all_reduce(world, other, data);
  check(cudaEventRecord(event, other));
  check(cudaStreamWaitEvent(nullptr, event, 0));
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphLaunch(instantiate(graph), stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
