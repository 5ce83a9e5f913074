// Each step tries to update the executable graph of the step before (cudaGraphExecUpdate). CUDA
// refuses every second one, because the step has another shape, and then it is instantiated anew
// and the old one destroyed, so that its handle comes back. Steps use one communicator, or two, or
// none. In turn, a rank is late. Naive view: after the refusal the executable graph is the new one.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step = nullptr;
  for (int i = 0; i < 12; ++i) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeRelaxed));
    if (i % 4 != 3) all_reduce(two.first, two.on_first, two.x, 16);
    if (i % 4 > 1) check(cudaMemsetAsync(two.y, 0, 64, two.on_first));
    if (i % 4 == 2) all_reduce(two.second, two.on_first, two.y, 32);
    check(cudaStreamEndCapture(two.on_first, &graph));
    cudaGraphExecUpdateResultInfo info{};
    const bool is_new = step == nullptr || cudaGraphExecUpdate(step, graph, &info) != cudaSuccess;
    if (is_new) {
      static_cast<void>(cudaGetLastError());
      if (step != nullptr) check(cudaGraphLaunch(step, two.on_first));  // the old one, once more
      if (step != nullptr) check(cudaGraphExecDestroy(step));
      step = instantiate(graph);
    }
    check(cudaGraphDestroy(graph));
    if (rank() == i % 2) hold(two.on_first);
    check(cudaGraphLaunch(step, two.on_first));
    all_reduce(two.second, two.on_second, two.y, 8);
    check(cudaStreamSynchronize(two.on_second));
    if (i % 3 == 0) check(cudaStreamSynchronize(two.on_first));
  }
  check(cudaDeviceSynchronize());
  return 0;
}
