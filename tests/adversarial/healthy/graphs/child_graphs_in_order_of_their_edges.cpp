// Rank 0 builds a graph of two child graphs with an all-reduce each. It adds the second one first,
// and then an edge that puts it behind the other. Rank 1 makes the same calls eagerly.
// Naive view: nodes run in the order in which they were added.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  const auto part = [&](std::size_t count) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeRelaxed));
    all_reduce(two.first, two.on_first, two.x, count);
    check(cudaStreamEndCapture(two.on_first, &graph));
    return graph;
  };
  cudaGraph_t whole = nullptr;
  cudaGraphNode_t first = nullptr;
  cudaGraphNode_t second = nullptr;
  check(cudaGraphCreate(&whole, 0));
  check(cudaGraphAddChildGraphNode(&second, whole, nullptr, 0, part(200)));
  check(cudaGraphAddChildGraphNode(&first, whole, nullptr, 0, part(100)));
  check(cudaGraphAddDependencies(whole, &first, &second, nullptr, 1));
  cudaGraphExec_t step = instantiate(whole);
  for (int i = 0; i < 3; ++i) {
    if (rank() == 0) {
      check(cudaGraphLaunch(step, two.on_first));
    } else {
      pause_ms(150);
      all_reduce(two.first, two.on_first, two.x, 100);
      all_reduce(two.first, two.on_first, two.x, 200);
    }
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
