// Seven ranks wait at seven different messages of a ring, each with its own label, so that the list
// of groups is cut.
// Must not say: "1 more groups".
#include <nvtx3/nvToolsExt.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2, 3, 4, 5, 6}), .ranks = 7, .says_not = {"1 more groups"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  nvtxRangePushA(("stage " + std::to_string(rank())).c_str());
  check(ncclRecv(data, 8, ncclFloat, (rank() + 1) % 7, world, stream));
  nvtxRangePop();
  check(cudaStreamSynchronize(stream));
  return 0;
}
