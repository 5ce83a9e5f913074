// With lazy connect, rank 0's main thread opens a group and adds an all-reduce. Then another thread
// makes an all-reduce on the same communicator, which so is the first one. The group waits in its
// end for the first message of rank 1, which comes late.
// Naive view: the call that was announced first comes first, so what the group waits for and what
// rank 1 does differ.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(),
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"},
    .options = kStandsBriefly};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t one = make_stream();
  const cudaStream_t other = make_stream();
  float* x = device_floats();
  float* y = device_floats();
  const auto message = [&] {
    if (rank() == 0) {
      check(ncclRecv(y, 8, ncclFloat, 1, world, other));
    } else {
      check(ncclSend(y, 8, ncclFloat, 0, world, other));
    }
  };
  check(ncclGroupStart());
  if (rank() == 0) all_reduce(world, one, x, 16);
  std::thread([&] {
    check(cudaSetDevice(rank()));
    all_reduce(world, other, y, 8);
    check(cudaStreamSynchronize(other));
  }).join();
  if (rank() == 1) pause_ms(900);
  if (rank() == 1) all_reduce(world, one, x, 16);
  message();
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  return 0;
}
