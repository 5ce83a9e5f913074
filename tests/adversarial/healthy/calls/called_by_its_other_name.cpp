// A tracer in rank 0's program makes the all-reduce by NCCL's other name, pncclAllReduce, which is
// for tools. Rank 1 calls ncclAllReduce. All-gathers follow on both.
// Naive view: rank 0's first collective is the all-gather.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  float* all = device_floats(4096);
  auto* reduce = rank() == 0 ? pncclAllReduce : ncclAllReduce;
  check(reduce(data, data, 1024, ncclFloat, ncclSum, world, stream));
  check(cudaStreamSynchronize(stream));
  check(ncclAllGather(data, all, 1024, ncclFloat, world, stream));
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) pause_ms(1500);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
