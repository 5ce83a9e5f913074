// A step is captured into a new graph, into an existing one, by two streams, and by a call in a
// group. Graphs are cloned, nested and updated. None has a node that the program did not capture,
// and their launches run as often as they should.
// Expected: completes.
#include <atomic>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
std::atomic<int> g_runs = 0;
void count(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream, [](void*) { ++g_runs; }, nullptr));
}
void has_nodes(cudaGraph_t graph, size_t wanted) {
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  if (nodes == wanted) return;
  std::fprintf(stderr, "%zu nodes and not %zu\n", nodes, wanted);
  std::_Exit(6);
}
}  // namespace

int program(int, char**) {
  const Training training;
  const cudaStream_t other = make_stream();
  for (const cudaStream_t stream :
       {training.stream, make_stream(cudaStreamDefault), cudaStreamPerThread}) {
    all_reduce(training.world, stream, training.data);
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    all_reduce(training.world, stream, training.data);
    check(ncclGroupStart());
    all_reduce(training.world, stream, training.data);
    all_reduce(training.world, stream, training.data);
    check(ncclGroupEnd());
    after(other, stream);
    count(other);
    after(stream, other);
    check(cudaStreamEndCapture(stream, &graph));
    has_nodes(graph, 3);
    check(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                        cudaStreamCaptureModeThreadLocal));
    count(stream);
    cudaGraph_t same = nullptr;
    check(cudaStreamEndCapture(stream, &same));
    has_nodes(graph, 4);
    cudaGraph_t clone = nullptr;
    check(cudaGraphClone(&clone, graph));
    has_nodes(clone, 4);
    cudaGraphExec_t step = instantiate(graph);
    for (int i = 0; i < 50; ++i) {
      check(cudaGraphLaunch(step, stream));
      if (i % 10 == 0) {
        cudaGraphExecUpdateResultInfo info{};
        check(cudaGraphExecUpdate(step, clone, &info));
      }
    }
    check(cudaStreamSynchronize(stream));
    check(cudaGraphExecDestroy(step));
    check(cudaGraphDestroy(clone));
    check(cudaGraphDestroy(graph));
  }
  check(cudaDeviceSynchronize());
  std::fprintf(stderr, "%d runs\n", g_runs.load());
  return g_runs == 3 * 50 * 2 ? 0 : 7;
}
