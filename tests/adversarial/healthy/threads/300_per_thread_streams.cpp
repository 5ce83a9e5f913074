// 300 threads come and go, each with its per-thread default stream; then the ranks continue, one of
// them late.
// Naive view: the table of streams is full.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  float* data = device_floats();
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      check(cudaSetDevice(rank()));
      all_reduce(world, cudaStreamPerThread, data);
      check(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
  }
  if (rank() == 1) pause_ms(300);
  all_reduce(world, cudaStreamPerThread, data);
  check(cudaStreamSynchronize(cudaStreamPerThread));
  return 0;
}
