// A non-blocking split: the program does not ask the parent for its state, but looks whether the
// child's handle is there, and then asks the child. Rank 1 is late for the split, then for the
// all-reduces of the child and of the parent.
// Naive view: nobody asked whether the split has ended, so it goes on.
// Expected: completes.

#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .options = kStandsBriefly};

int program(int, char**) {
  const ncclComm_t world = join_without_blocking();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int round = 0; round < 3; ++round) {
    static ncclComm_t child = nullptr;
    child = nullptr;
    if (rank() == round) pause_ms(500);
    begin(ncclCommSplit(world, 0, rank(), &child, nullptr));
    await(when_there(child));
    if (rank() == round) pause_ms(500);
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, child, stream));
    await(child);
    check(cudaStreamSynchronize(stream));
    if (rank() == 1) pause_ms(300);
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, world, stream));
    await(world);
    check(cudaStreamSynchronize(stream));
    begin(ncclCommFinalize(child));
    await(child);
    check(ncclCommDestroy(child));
  }
  return 0;
}
