// One thread captures graphs without pause, in each mode. Two others put work on streams of their
// own, with waits for events between them and all-reduces.
// Expected: completes.
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  std::atomic<bool> ended = false;
  std::atomic<int> graphs = 0;
  std::thread captures([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    const cudaStream_t one = make_stream();
    const cudaStream_t other = make_stream();
    float* const data = training.data;
    while (!ended) {
      for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                              cudaStreamCaptureModeRelaxed}) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(one, mode));
        check(cudaMemsetAsync(data + 512, 0, 4, one));
        after(other, one);
        check(cudaLaunchHostFunc(
            other, [](void*) {}, nullptr));
        pause_ms(1);
        after(one, other);
        check(cudaStreamEndCapture(one, &graph));
        size_t nodes = 0;
        check(cudaGraphGetNodes(graph, nullptr, &nodes));
        if (nodes != 2) std::_Exit(6);
        check(cudaGraphDestroy(graph));
        ++graphs;
      }
    }
  });
  std::thread launches([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    const cudaStream_t one = make_stream();
    const cudaStream_t other = make_stream();
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    while (!ended) {
      check(cudaLaunchHostFunc(
          one, [](void*) {}, nullptr));
      check(cudaEventRecord(event, one));
      check(cudaStreamWaitEvent(other, event, 0));
      check(cudaMemsetAsync(training.data + 600, 0, 4, other));
      pause_ms(1);
    }
  });
  for (int i = 0; i < 150; ++i) {
    all_reduce(training.world, training.stream, training.data, 8);
    cudaEvent_t done = nullptr;
    check(cudaEventCreate(&done));
    check(cudaEventRecord(done, training.stream));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    while (cudaEventQuery(done) == cudaErrorNotReady) pause_ms(1);
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    check(cudaEventDestroy(done));
  }
  cudaGetLastError();
  while (graphs < 60) pause_ms(1);
  ended = true;
  captures.join();
  launches.join();
  return 0;
}
