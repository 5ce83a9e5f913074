// A captured graph has two all-reduces in a row. The program removes the edge between them. The
// ranks name the two communicators in different orders.
// Naive view: what one stream captured is a line of calls; two lines in different orders hang.
// Expected: completes, for the graph has two branches.
#include <vector>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeThreadLocal));
  const bool turned = rank() == 1;
  all_reduce(turned ? two.second : two.first, two.on_first, two.x);
  all_reduce(turned ? two.first : two.second, two.on_first, two.x);
  check(cudaStreamEndCapture(two.on_first, &graph));

  std::size_t count = 0;
  check(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<cudaGraphNode_t> from(count);
  std::vector<cudaGraphNode_t> to(count);
  check(cudaGraphGetEdges(graph, from.data(), to.data(), nullptr, &count));
  check(cudaGraphRemoveDependencies(graph, from.data(), to.data(), nullptr, count));
  check(cudaGraphLaunch(instantiate(graph), two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
