// Eight ranks in two groups of four. In one step rank 3 leaves out an all-reduce of its group and
// goes on to the world's, as the other group does.
// Naive view: four of eight ranks are missing in the world's call, so all four are to blame.
// Expected: deadlock; rank 3 is to blame, for which its group waits.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {3}), .ranks = 8};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t tensor = nullptr;
  check(ncclCommSplit(world, rank() / 4, rank(), &tensor, nullptr));
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  for (int step = 0; step < 4; ++step) {
    for (int layer = 0; layer < 3; ++layer) {
      if (!(rank() == 3 && step == 2 && layer == 2)) all_reduce(tensor, stream, x);
    }
    check(cudaStreamSynchronize(stream));
    all_reduce(world, stream, x, 1);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
