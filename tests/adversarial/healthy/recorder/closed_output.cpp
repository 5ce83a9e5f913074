// Each rank closes its output and goes on printing; then it ends by exit() with destructors that
// call CUDA and NCCL.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
struct Cleaner {
  ncclComm_t world = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t graph = nullptr;
  void* pinned = nullptr;
  ~Cleaner() {
    if (world == nullptr) return;
    cudaGraphLaunch(graph, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(graph);
    ncclCommFinalize(world);
    ncclCommDestroy(world);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
    cudaDeviceReset();
  }
};
Cleaner g_cleaner;
}  // namespace

int program(int, char**) {
  const Training training;
  std::fclose(stdout);
  close(1);
  std::signal(SIGPIPE, SIG_IGN);
  g_cleaner.world = training.world;
  g_cleaner.stream = training.stream;
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(!write(1, "step\n", 5));
    training.step();
  }
  g_cleaner.graph = captured(training.stream,
                             [&] { all_reduce(training.world, training.stream, training.data); });
  check(cudaMallocHost(&g_cleaner.pinned, 4096));
  std::atexit([] { cudaDeviceSynchronize(); });
  std::exit(0);
}
