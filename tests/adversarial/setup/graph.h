// What programs that capture their steps share.
#pragma once

#include "tests/adversarial/setup/job.h"

inline cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

// An executable graph of what `body` puts on `stream`.
template <class Body>
cudaGraphExec_t captured(cudaStream_t stream, Body body) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  body();
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = instantiate(graph);
  check(cudaGraphDestroy(graph));
  return executable;
}

// `later` waits for what is on `earlier` now; if that is captured, `later` is from then on too.
inline void after(cudaStream_t later, cudaStream_t earlier) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaEventRecord(event, earlier));
  check(cudaStreamWaitEvent(later, event, 0));
  check(cudaEventDestroy(event));
}
