// Rank 1 has created more custom reductions than rank 0, so equal reductions have different
// handles. At the end rank 0 fails for another reason.
// Naive view: the handles differ, so a mismatch caused the failure.
// Expected: fails, rank 0.
// Must not say: anything about calls that do not fit.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("fails", "none", {0}).or_as("fails", "", {0}),
                            .says_not = {"mismatch", "do not belong"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  float factor = 0.5F;
  ncclRedOp_t op{};
  for (int i = 0; i <= rank(); ++i) {
    check(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, world));
  }
  check(ncclAllReduce(data, data, 64, ncclFloat, op, world, stream));
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) return 9;
  return 0;
}
