// Behind an all-reduce of all ranks, rank 0's group has two on a communicator of rank 0 alone: one
// behind the first on its stream, one on a stream with a long host function. NCCL makes these two
// copies, at their calls. When the second has ended, rank 0 tells rank 1, which comes to the
// all-reduce of both only then.
// Naive view: a communicator's calls run in order, and a group's together, so the second waits with
// the first.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  ncclComm_t own = alone_in(two.first);
  const cudaStream_t side = make_stream();
  float* z = device_floats();
  if (rank() == 0) {
    hold_for_long(side);
    all_reduce(two.first, two.on_first, two.x);
    check(ncclGroupStart());
    copy(own, two.on_first, z);
    copy(own, side, z);
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
