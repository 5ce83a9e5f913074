// Rank 0's graph waits for an event of its loading stream (cudaEventWaitExternal) before an
// all-reduce. That stream is behind a broadcast which rank 1 makes only after the all-reduce.
// Naive view: nothing holds the graph's all-reduce back.
// Expected: deadlock; a cycle of both. What a graph waits for is not recorded, so it may be a
// stall.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).or_as("stall", "cycle", {0, 1}),
                            .options = {"--stall-limit", "3s"}};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
    check(cudaStreamSynchronize(two.on_second));
    return 0;
  }
  cudaEvent_t loaded = nullptr;
  check(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming));
  cudaGraphExec_t step = captured(two.on_first, [&] {
    check(cudaStreamWaitEvent(two.on_first, loaded, cudaEventWaitExternal));
    all_reduce(two.first, two.on_first, two.x);
  });
  check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 1, two.second, two.on_second));
  check(cudaEventRecord(loaded, two.on_second));
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
