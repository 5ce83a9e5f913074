// A group of rank 0 with a split and a wrong call is refused as a whole. Then all ranks split
// twice, and use the two children for all-reduces of different sizes, the second one late.
// Naive view: the refused split was rank 0's first, so its first child is the others' second, and
// the sizes do not fit.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t child[2] = {};
  if (rank() == 0) {
    check(ncclGroupStart());
    check(ncclCommSplit(world, 0, rank(), &child[0], nullptr));
    ncclBroadcast(data, data, 8, ncclFloat, -7, world, stream);
    if (ncclGroupEnd() == ncclSuccess) return 5;
  }
  for (ncclComm_t& one : child) check(ncclCommSplit(world, 0, rank(), &one, nullptr));
  all_reduce(child[0], stream, data, 1024);
  if (rank() == 2) pause_ms(600);
  all_reduce(child[1], stream, data, 64);
  check(cudaStreamSynchronize(stream));
  return 0;
}
