// Sharded training of four ranks: a second thread gathers the next layer's parameters while the
// main thread scatters gradients, on one communicator. Rank 2's threads come in the other order.
// Naive view: whoever waits longest is to blame.
// Expected: deadlock. The calls do not fit, and rank 2's are the odd ones.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("mismatch", {2}), .ranks = 4};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t computes = make_stream();
  const cudaStream_t prefetches = make_stream();
  float* data = device_floats();
  float* more = device_floats();
  all_reduce(world, computes, data);
  check(cudaStreamSynchronize(computes));
  const auto gather = [&] {
    check(cudaSetDevice(rank()));
    check(ncclAllGather(data, more, 128, ncclFloat, world, prefetches));
  };
  const auto scatter = [&] {
    check(ncclReduceScatter(data, data, 64, ncclFloat, ncclSum, world, computes));
  };
  if (rank() == 2) scatter();
  std::thread thread(gather);
  thread.join();
  if (rank() != 2) scatter();
  check(cudaStreamSynchronize(prefetches));
  check(cudaStreamSynchronize(computes));
  all_reduce(world, computes, data);
  check(cudaStreamSynchronize(computes));
  return 0;
}
