// Rank 0 forks workers while another of its threads instantiates graphs. A worker drops the cached
// graph that it has inherited, as its garbage collector would: CUDA refuses that in a forked child.
// Naive view: a recorder may lock its book of graphs in a forked child too.
// Expected: completes.
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const Training training;
  training.step();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(training.stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 200; ++i) all_reduce(training.world, training.stream, training.data);
  check(cudaStreamEndCapture(training.stream, &graph));
  cudaGraphExec_t cached = instantiate(graph);
  if (rank() == 0) {
    std::atomic<bool> ended = false;
    std::thread builder([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      while (!ended) check(cudaGraphExecDestroy(instantiate(graph)));
    });
    const int workers = argc > 1 ? atoi(argv[1]) : 200;
    for (int i = 0; i < workers; ++i) {
      wait_for(start_helper([&] { cudaGraphExecDestroy(cached); }));
    }
    ended = true;
    builder.join();
  }
  training.step();
  check(cudaGraphExecDestroy(cached));
  check(cudaGraphDestroy(graph));
  return 0;
}
