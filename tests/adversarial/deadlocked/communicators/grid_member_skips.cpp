// A grid of two by two. Rank 3 leaves out an all-reduce of its column, in which rank 1 waits for
// it. The others go on to an all-reduce of all. Naive view: most have come to the all-reduce of
// all, so rank 1, which has not, is to blame. Expected: deadlock; the cycle of ranks 1 and 3.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {1, 3}).or_as("deadlock", "missing_rank", {3}), .ranks = 4};

static ncclComm_t part_of(ncclComm_t world, int color) {
  ncclComm_t part = nullptr;
  check(ncclCommSplit(world, color, rank(), &part, nullptr));
  return part;
}

int program(int, char**) {
  const ncclComm_t world = join_world();
  const ncclComm_t row = part_of(world, rank() / 2);
  const ncclComm_t column = part_of(world, rank() % 2);
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 4; ++step) {
    all_reduce(row, stream, data);
    if (rank() != 3 || step != 3) all_reduce(column, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
