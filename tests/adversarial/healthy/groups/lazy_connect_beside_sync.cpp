// With lazy connect, the first all-reduce blocks its thread inside ncclAllReduce, and nothing is on
// the stream yet. So another thread's device synchronize returns, and its next call lets the other
// rank come.
// Naive view: the device waits for the all-reduce, which is still connecting.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(),
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"},
    .options = kStandsBriefly};

int program(int, char**) {
  ncclComm_t x = join_world();
  ncclComm_t z = twin_of(x);
  cudaStream_t of_x = make_stream();
  cudaStream_t of_z = make_stream();
  float* a = device_floats();
  float* b = device_floats();
  all_reduce(z, of_z, b);  // connected
  check(cudaDeviceSynchronize());
  if (rank() == 1) {
    all_reduce(z, of_z, b);
    check(cudaStreamSynchronize(of_z));
    pause_ms(100);
    all_reduce(x, of_x, a);
    check(cudaDeviceSynchronize());
    return 0;
  }
  std::thread connecting([&] {
    check(cudaSetDevice(rank()));
    all_reduce(x, of_x, a);
  });
  pause_ms(50);
  hold_for_long(of_z);
  check(cudaDeviceSynchronize());
  all_reduce(z, of_z, b);
  connecting.join();
  check(cudaDeviceSynchronize());
  return 0;
}
