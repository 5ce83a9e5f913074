// Each step is a graph that waits for an event which another stream records outside
// (cudaEventWaitExternal), reduces, and records a second one (cudaEventRecordExternal) that the
// next eager step waits for. In turn, a rank's loader is late to record. Naive view: an event in a
// capture belongs to the capture. Expected: completes.
#include <thread>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  cudaEvent_t loaded = nullptr;
  cudaEvent_t reduced = nullptr;
  check(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming));
  const cudaStream_t loads = make_stream();
  cudaGraphExec_t step = captured(two.on_first, [&] {
    check(cudaStreamWaitEvent(two.on_first, loaded, cudaEventWaitExternal));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecordWithFlags(reduced, two.on_first, cudaEventRecordExternal));
  });
  for (int i = 0; i < 4; ++i) {
    if (rank() == i % 2) hold(loads);
    check(cudaEventRecord(loaded, loads));
    check(cudaGraphLaunch(step, two.on_first));
    check(cudaStreamWaitEvent(two.on_second, reduced, 0));
    all_reduce(two.second, two.on_second, two.y);
    if (i % 2 == 1) {
      std::thread waits([&] { check(cudaEventSynchronize(reduced)); });
      check(cudaStreamSynchronize(two.on_second));
      waits.join();
    }
    check(cudaStreamWaitEvent(loads, reduced, 0));
  }
  check(cudaDeviceSynchronize());
  return 0;
}
