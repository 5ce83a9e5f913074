// A host function tells another thread that the stream is free, and that thread captures it. A
// captured step has one node. Often.
// Naive view: a mark behind the host function is put on the stream in time. If the other thread is
// quicker, the mark becomes a node of the graph.
// Expected: completes.
#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 2000;
  const Training training;
  training.step();
  if (rank() == 0) {
    const cudaStream_t shared = make_stream();
    static std::atomic<int> told = 0;
    std::atomic<int> captured = 0;
    std::atomic<int> wrong = 0;
    std::thread captures([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      for (int i = 1; i <= rounds; ++i) {
        while (told < i) sched_yield();
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(shared, cudaStreamCaptureModeRelaxed));
        check(cudaMemsetAsync(training.data, 0, 4, shared));
        sched_yield();
        check(cudaStreamEndCapture(shared, &graph));
        size_t nodes = 0;
        check(cudaGraphGetNodes(graph, nullptr, &nodes));
        if (nodes != 1) ++wrong;
        check(cudaGraphDestroy(graph));
        captured = i;
      }
    });
    for (int i = 1; i <= rounds; ++i) {
      check(cudaLaunchHostFunc(
          shared, [](void*) { ++told; }, nullptr));
      while (captured < i) sched_yield();
    }
    captures.join();
    if (wrong != 0) {
      std::fprintf(stderr, "%d of %d graphs have more nodes than were captured\n", wrong.load(),
                   rounds);
      return 6;
    }
  }
  training.step();
  return 0;
}
