// Rank 0's group has an all-reduce of all ranks, and two on a communicator of rank 0 alone: one
// behind the first on its stream, one on a stream with a long host function. NCCL makes these two
// copies, at their calls. When the second has ended, rank 0 tells rank 1, which comes to the
// all-reduce of both only then.
// Naive view: a group's calls on one communicator run together, so the second waits with the first.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  ncclComm_t alone = nullptr;
  check(ncclCommSplit(two.first, rank(), 0, &alone, nullptr));
  const cudaStream_t side = make_stream();
  float* z = device_floats();
  if (rank() == 0) {
    hold_for_long(side);
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    all_reduce(alone, two.on_first, z);
    all_reduce(alone, side, z);
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(side));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
