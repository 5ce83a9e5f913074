// Rank 1 has created custom reductions before (ncclRedOpCreatePreMulSum), so the handle that both
// ranks now use is a different number on each.
// Naive view: handles are compared as if they were equal on all ranks, so the record shows a
// mismatch.
// Expected: completes.
// Must not say: anything about calls that do not fit.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .says_not = {"mismatch", "do not belong"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  float factor = 0.5F;
  ncclRedOp_t op{};
  for (int i = 0; i <= rank(); ++i) {
    check(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, world));
  }
  if (rank() == 0) pause_ms(200);
  check(ncclAllReduce(data, data, 64, ncclFloat, op, world, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
