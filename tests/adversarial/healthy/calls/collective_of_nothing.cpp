// A collective of no elements does nothing in NCCL, so it is harmless that only rank 0 calls it.
// Naive view: it takes a slot, so rank 0 is one call ahead from then on.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) all_reduce(world, stream, data, 0);
  for (int step = 0; step < 3; ++step) {
    if (rank() == step % 2) pause_ms(100);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
