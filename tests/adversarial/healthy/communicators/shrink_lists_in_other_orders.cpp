// Ranks 0 to 2 of five shrink the world twice. They list those that are left out in different
// orders, and rank 1 first tries it with a list that NCCL refuses. In turn, a rank is late.
// Naive view: the lists differ, so the children do.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 5};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() > 2) return 0;
  for (int round = 0; round < 2; ++round) {
    int gone[2] = {3, 4};
    if (rank() == 1) std::swap(gone[0], gone[1]);
    ncclComm_t rest = nullptr;
    if (rank() == 1) {
      int itself[2] = {1, 7};
      static_cast<void>(ncclCommShrink(world, itself, 2, &rest, nullptr, 64));
    }
    if (rank() == round) pause_ms(300);
    check(ncclCommShrink(world, gone, 2, &rest, nullptr, NCCL_SHRINK_ABORT));
    for (int step = 0; step < 3; ++step) {
      if (rank() == step) pause_ms(200);
      all_reduce(rest, stream, data);
      check(cudaStreamSynchronize(stream));
    }
  }
  return 0;
}
