// One process drives two devices. Its graph has a branch on each, and a group that is the same
// all-reduce of both. On the second device, a long kernel comes before it.
// Naive view: the graph's operations are all on the stream on which it was launched, so the second
// member comes only after the first is done, which waits for the second.
// Expected: completes.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .ranks = 1};

int program(int, char**) {
  ncclComm_t comms[2] = {};
  cudaStream_t streams[2] = {};
  cudaEvent_t events[2] = {};
  float* data[2] = {};
  check(ncclCommInitAll(comms, 2, nullptr));
  for (int i = 0; i < 2; ++i) {
    check(cudaSetDevice(i));
    streams[i] = make_stream();
    data[i] = device_floats();
    check(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
  }
  check(cudaSetDevice(0));
  cudaGraphExec_t step = captured(streams[0], [&] {
    check(cudaEventRecord(events[0], streams[0]));
    check(cudaStreamWaitEvent(streams[1], events[0], 0));
    check(cudaSetDevice(1));
    check(sim::launch(streams[1], [] { pause_ms(300); }));
    check(ncclGroupStart());
    for (int i = 0; i < 2; ++i) all_reduce(comms[i], streams[i], data[i]);
    check(ncclGroupEnd());
    check(cudaEventRecord(events[1], streams[1]));
    check(cudaSetDevice(0));
    check(cudaStreamWaitEvent(streams[0], events[1], 0));
  });
  for (int i = 0; i < 3; ++i) {
    check(cudaGraphLaunch(step, streams[0]));
    check(cudaStreamSynchronize(streams[0]));
  }
  return 0;
}
