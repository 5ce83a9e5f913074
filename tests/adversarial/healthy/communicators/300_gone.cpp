// 300 communicators are made and destroyed, one after the other; then the ranks continue, one of
// them late.
// Naive view: a table of 256 communicators stays full for ever.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int i = 0; i < 300; ++i) {
    ncclComm_t child = nullptr;
    check(ncclCommSplit(world, 0, rank(), &child, nullptr));
    check(ncclCommDestroy(child));
  }
  if (rank() == 1) pause_ms(300);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
