// A split of a non-blocking communicator whose child blocks, so the program waits for its handle
// and asks nobody for its state. Rank 0 waits for a message of rank 1's on the child, which rank 1
// sends behind long work, and then sends the one for which rank 1 waits.
// Naive view: nobody has said that the child is ready, so its members are not known.
// Expected: completes.
#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const ncclComm_t world = join_without_blocking();
  const cudaStream_t first = make_stream();
  const cudaStream_t second = make_stream();
  float* data = device_floats();
  ncclConfig_t blocks = NCCL_CONFIG_INITIALIZER;
  blocks.blocking = 1;
  static ncclComm_t other = nullptr;
  static ncclComm_t child = nullptr;
  begin(ncclCommSplit(world, 0, rank(), &other, &blocks));
  when_there(other);
  await(world);
  begin(ncclCommSplit(world, 0, rank(), &child, &blocks));
  when_there(child);
  if (rank() == 0) {
    check(ncclRecv(data, 16, ncclFloat, 1, child, first));
    check(cudaStreamSynchronize(first));
    check(ncclSend(data, 16, ncclFloat, 1, other, second));
    check(cudaStreamSynchronize(second));
  } else {
    await(child);
    hold_for_long(first);
    check(ncclSend(data, 16, ncclFloat, 0, child, first));
    check(ncclRecv(data, 16, ncclFloat, 0, other, second));
    check(cudaStreamSynchronize(second));
  }
  check(cudaDeviceSynchronize());
  return 0;
}
