// An executable graph is updated (cudaGraphExecUpdate): its all-reduce is now on the second
// communicator. The old graph is destroyed. An update to another shape is refused, and changes
// nothing. Rank 1 makes the calls without a graph. Then the first communicator is destroyed.
// Naive view: a graph contains what it was made of.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  const auto graph_of = [&](int first, int second) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < first; ++i) all_reduce(two.first, two.on_first, two.x);
    for (int i = 0; i < second; ++i) all_reduce(two.second, two.on_first, two.x);
    check(cudaStreamEndCapture(two.on_first, &graph));
    return graph;
  };
  if (rank() == 0) {
    cudaGraph_t old = graph_of(1, 0);
    cudaGraph_t next = graph_of(0, 1);
    cudaGraph_t longer = graph_of(2, 1);
    cudaGraphExec_t step = instantiate(old);
    check(cudaGraphDestroy(old));
    cudaGraphExecUpdateResultInfo info{};
    check(cudaGraphExecUpdate(step, next, &info));
    if (cudaGraphExecUpdate(step, longer, &info) == cudaSuccess) return 5;
    cudaGetLastError();
    check(cudaGraphDestroy(next));
    check(cudaGraphDestroy(longer));
    check(cudaGraphLaunch(step, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
  } else {
    pause_ms(200);
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  check(ncclCommDestroy(two.first));
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
