// The ranks destroy the graph that they have launched, and forget a clone that they never launched.
// Naive view: no graph with the communicator's calls was launched and is left.
// Expected: deadlock; each rank waits until it destroys the clone.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("self", {0, 1})};

int program(int, char**) {
  const Two two;
  cudaGraph_t graph = nullptr;
  cudaGraph_t clone = nullptr;
  check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeThreadLocal));
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamEndCapture(two.on_first, &graph));
  check(cudaGraphClone(&clone, graph));
  cudaGraphExec_t step = instantiate(graph);
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  check(cudaGraphExecDestroy(step));
  check(cudaGraphDestroy(graph));
  check(ncclCommDestroy(two.first));
  check(cudaGraphDestroy(clone));
  return 0;
}
