// Rank 0's group with a split and a wrong call is refused as a whole, and nobody else notices. Then
// all ranks split twice, give up the first child, and use the second, for which rank 0 comes late.
// Naive view: the refused split was rank 0's first, so its first child is the others' second.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    ncclComm_t none = nullptr;
    check(ncclGroupStart());
    static_cast<void>(ncclCommSplit(world, 0, rank(), &none, nullptr));
    static_cast<void>(ncclReduce(data, data, 8, ncclFloat, ncclSum, 99, world, stream));
    if (ncclGroupEnd() == ncclSuccess) return 5;
  }
  ncclComm_t first = nullptr;
  ncclComm_t second = nullptr;
  check(ncclCommSplit(world, 0, rank(), &first, nullptr));
  check(ncclCommSplit(world, 0, rank(), &second, nullptr));
  check(ncclCommAbort(first));
  if (rank() == 0) pause_ms(1000);
  all_reduce(second, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
