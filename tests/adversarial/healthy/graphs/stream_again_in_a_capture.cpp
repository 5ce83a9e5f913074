// After 300 streams have come and gone, a stream captures one branch of a graph and is destroyed; a
// new one captures the other branch. The ranks name the two communicators in different orders, and
// the third comes late. Naive view: both streams have the same place in the record, so one call
// follows the other. Expected: completes, for the graph has two branches.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Two two;
  for (int i = 0; i < 300; ++i) check(cudaStreamDestroy(make_stream()));
  const bool turned = rank() == 1;
  cudaStream_t origin = make_stream();
  cudaEvent_t fork = nullptr;
  check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  cudaGraphExec_t step = captured(origin, [&] {
    check(cudaEventRecord(fork, origin));
    for (const bool second : {turned, !turned}) {
      cudaStream_t branch = make_stream();
      check(cudaStreamWaitEvent(branch, fork, 0));
      all_reduce(second ? two.second : two.first, branch, second ? two.x : two.y);
      after(origin, branch);
      check(cudaStreamDestroy(branch));
    }
  });
  if (rank() == 2) pause_ms(900);
  check(cudaGraphLaunch(step, origin));
  check(cudaStreamSynchronize(origin));
  return 0;
}
