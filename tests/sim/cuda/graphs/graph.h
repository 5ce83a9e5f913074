// Shared by the tests of capture and graphs.
#pragma once

#include "tests/sim/cuda/cuda_test.h"

namespace sim_test {

struct EventOwner {
  EventOwner() { check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
  EventOwner(const EventOwner&) = delete;
  EventOwner& operator=(const EventOwner&) = delete;
  ~EventOwner() { cudaEventDestroy(event); }
  operator cudaEvent_t() const { return event; }  // NOLINT(google-explicit-constructor)
  cudaEvent_t event = nullptr;
};

// Device memory.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) { check(cudaMalloc(&data_, bytes)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// The graph of what `body` puts on `stream`.
template <class Body>
cudaGraph_t capture(cudaStream_t stream, Body body) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  body();
  check(cudaStreamEndCapture(stream, &graph));
  return graph;
}

inline std::size_t node_count(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

// Runs a graph `times` times, and waits for its end.
inline void launch(cudaGraph_t graph, cudaStream_t stream, int times) {
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < times; ++i) check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(exec));
}

}  // namespace sim_test
