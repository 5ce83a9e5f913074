// A host function on the legacy stream tells another thread, which then captures a blocking stream.
// During such a capture nothing may be put on the legacy stream, and nothing is. Often.
// Naive view: a mark behind the host function is put on the legacy stream in time. If the other
// thread is quicker, the mark breaks the capture.
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
    const cudaStream_t blocking = make_stream(cudaStreamDefault);
    static std::atomic<int> told = 0;
    std::atomic<int> captured = 0;
    std::thread captures([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      for (int i = 1; i <= rounds; ++i) {
        while (told < i) sched_yield();
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
        check(cudaMemsetAsync(training.data, 0, 4, blocking));
        sched_yield();
        check(cudaStreamEndCapture(blocking, &graph));
        check(cudaGraphDestroy(graph));
        captured = i;
      }
    });
    for (int i = 1; i <= rounds; ++i) {
      check(cudaLaunchHostFunc(
          nullptr, [](void*) { ++told; }, nullptr));
      while (captured < i) sched_yield();
    }
    captures.join();
  }
  training.step();
  return 0;
}
