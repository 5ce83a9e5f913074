// With lazy connect, rank 0's group waits in its end for the first message of rank 1, which comes
// late. It began with two all-reduces on a stream on which another thread has put much since then,
// all of it finished.
// Naive view: what lies behind finished work on a stream is finished too, so the group's first
// calls are not seen and the others get their slots.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(),
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"},
    .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  const cudaStream_t third = make_stream();
  float* z = device_floats();
  const auto others = [&] {
    for (int i = 0; i < 100; ++i) all_reduce(two.second, two.on_first, two.y, 8);
    check(cudaStreamSynchronize(two.on_first));
  };
  check(ncclGroupStart());
  all_reduce(two.first, two.on_first, two.x, 16);
  all_reduce(two.first, two.on_first, two.x, 32);
  std::thread([&] {
    check(cudaSetDevice(rank()));
    others();
  }).join();
  all_reduce(two.first, third, z, 64);
  if (rank() == 0) {
    check(ncclRecv(z, 8, ncclFloat, 1, two.first, third));
  } else {
    pause_ms(900);
    check(ncclSend(z, 8, ncclFloat, 0, two.first, third));
  }
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  return 0;
}
