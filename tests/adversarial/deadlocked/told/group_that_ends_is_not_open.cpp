// Rank 0 is in the end of a group with an all-reduce and a split, to which rank 1 does not come:
// it waits for the all-reduce, which rank 0 launches when the split is made.
// Must not say: that rank 0 has left the group open.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .says_not = {"a group open"}};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const ncclComm_t twin = twin_of(world);
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  ncclComm_t child = nullptr;
  check(ncclGroupStart());
  all_reduce(world, stream, data);
  if (rank() == 0) check(ncclCommSplit(twin, 0, 0, &child, nullptr));
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(stream));
  return 0;
}
