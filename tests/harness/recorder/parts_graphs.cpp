// Graphs that contain communications.
#include "tests/harness/recorder/parts.h"

namespace gridlock {
namespace {

cudaGraph_t captured(ncclComm_t communicator, int device) {
  check(cudaSetDevice(device));
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(buffer, communicator, stream);
  all_reduce(buffer, communicator, stream);
  check(cudaStreamEndCapture(stream, &graph));
  return graph;
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

}  // namespace

// Of the first communicator, an executable graph and a graph with a child are left; of the second,
// nothing.
int graphs_hold() {
  ncclComm_t pair[2] = {};
  check(ncclCommInitAll(pair, 2, nullptr));
  const cudaGraph_t step = captured(pair[0], 0);
  const cudaGraphExec_t kept = instantiated(step);
  cudaGraph_t clone = nullptr;
  check(cudaGraphClone(&clone, step));
  check(cudaGraphDestroy(clone));
  cudaGraph_t parent = nullptr;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphCreate(&parent, 0));
  check(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, step));
  cudaGraphExecUpdateResultInfo result{};
  check(cudaGraphExecUpdate(kept, step, &result));
  check(cudaGraphDestroy(step));

  const cudaGraph_t other = captured(pair[1], 1);
  check(cudaGraphExecDestroy(instantiated(other)));
  check(cudaGraphDestroy(other));
  std::_Exit(0);  // with the graphs, which hold the first communicator
}

// Who captures into a graph may have made it the body of another one, and that one is destroyed.
int graph_is_captured_into() {
  ncclComm_t pair[2] = {};
  check(ncclCommInitAll(pair, 2, nullptr));
  captured(pair[0], 0);
  cudaStream_t stream = make_stream();
  float* buffer = make_buffer();
  cudaGraph_t body = nullptr;
  check(cudaGraphCreate(&body, 0));
  check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
  all_reduce(buffer, pair[0], stream);
  check(cudaStreamEndCapture(stream, &body));
  std::_Exit(0);
}

}  // namespace gridlock
