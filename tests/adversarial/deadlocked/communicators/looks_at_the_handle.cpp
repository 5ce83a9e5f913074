// A non-blocking split, where the program looks whether the child's handle is there, and then asks
// the child. Rank 2 leaves out an all-reduce on the child, in which the others wait, and goes to
// the next one on the world. Naive view: nobody asked whether the split has ended, so it goes on.
// Expected: deadlock; rank 2 is missing.

#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}), .ranks = 3};

int program(int, char**) {
  const ncclComm_t world = join_without_blocking();
  static ncclComm_t child = nullptr;
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  begin(ncclCommSplit(world, 0, rank(), &child, nullptr));
  await(when_there(child));
  for (const ncclComm_t comm : {child, world}) {
    if (rank() == 2 && comm == child) continue;
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, comm, stream));
    await(comm);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
