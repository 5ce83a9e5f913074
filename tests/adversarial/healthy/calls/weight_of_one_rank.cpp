// Rank 1's batch counts twice, so it sums with a factor of its own (ncclRedOpCreatePreMulSum); rank
// 0's counts once, so it just sums. NCCL applies the factor to the rank's own input, and adds.
// Naive view: a sum and a custom reduction are two reductions, so the numbers are wrong.
// Expected: completes, with the right numbers.
// Must not say: that anything is wrong with the numbers.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .says_not = {"mismatch", "wrong"}};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  float one = 1.0F;
  check(cudaMemcpy(data, &one, sizeof one, cudaMemcpyHostToDevice));
  float factor = 2.0F;
  ncclRedOp_t weighted = ncclSum;
  if (rank() == 1) {
    check(ncclRedOpCreatePreMulSum(&weighted, &factor, ncclFloat, ncclScalarHostImmediate, world));
  }
  check(ncclAllReduce(data, data, 1, ncclFloat, weighted, world, stream));
  check(cudaStreamSynchronize(stream));
  float sum = 0;
  check(cudaMemcpy(&sum, data, sizeof sum, cudaMemcpyDeviceToHost));
  return sum == 3.0F ? 0 : 6;
}
