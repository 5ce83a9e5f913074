// A library of the program's own hands collectives to a thread of its own, which calls NCCL
// (setup/tools/defers_collectives.cpp), as libraries do that merge or reorder them.
// Naive view: what was called is on its stream when the call returns.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

extern "C" void flush();

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats(4096);
  if (rank() == 2) pause_ms(900);
  all_reduce(world, stream, data);
  if (rank() == 0) flush();
  check(ncclAllGather(data, data, 8, ncclFloat, world, stream));
  flush();
  check(cudaStreamSynchronize(stream));
  _exit(0);  // the thread still waits
}
