// A program calls a newer function of CUDA's if the installed CUDA has it, which it finds out by
// its name. The simulation has no cudaGraphInstantiateWithParams.
// Naive view: a recorder may define functions that the vendor's library does not have.
// Expected: completes.
#include <dlfcn.h>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
struct Parameters {  // cudaGraphInstantiateParams
  unsigned long long flags = 0;
  cudaStream_t upload = nullptr;
  cudaGraphNode_t error_node = nullptr;
  int result = 0;
};
}  // namespace

int program(int, char**) {
  const Training training;
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(training.stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(training.world, training.stream, training.data);
  check(cudaStreamEndCapture(training.stream, &graph));
  cudaGraphExec_t step = nullptr;
  using Newer = cudaError_t (*)(cudaGraphExec_t*, cudaGraph_t, Parameters*);
  if (auto* const newer =
          reinterpret_cast<Newer>(dlsym(RTLD_DEFAULT, "cudaGraphInstantiateWithParams"))) {
    Parameters parameters;
    check(newer(&step, graph, &parameters));
  } else {
    step = instantiate(graph);
  }
  check(cudaGraphLaunch(step, training.stream));
  check(cudaStreamSynchronize(training.stream));
  return 0;
}
