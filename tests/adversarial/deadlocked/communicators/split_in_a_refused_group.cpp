// A group of rank 0 that holds a split is refused; rank 0 splits again, as the others do. Then rank
// 0 forgets a collective on the child.
// Expected: deadlock, rank 0 is missing.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {0}), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t child = nullptr;
  if (rank() == 0) {
    check(ncclGroupStart());
    check(ncclCommSplit(world, 0, rank(), &child, nullptr));
    ncclBroadcast(data, data, 8, ncclFloat, -7, world, stream);
    if (ncclGroupEnd() == ncclSuccess) return 5;
  }
  check(ncclCommSplit(world, 0, rank(), &child, nullptr));
  if (rank() != 0) all_reduce(child, stream, data);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
