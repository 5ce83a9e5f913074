// A library of the program's own has a cudaStreamSynchronize that polls and gives up after 1.5 s
// (setup/tools/waits_with_a_limit.cpp). Then rank 0 goes on to the call that rank 1
// waits for.
// Naive view: the function that follows the recorder's is CUDA's.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    if (cudaStreamSynchronize(two.on_first) != cudaErrorTimeout) return 5;
    two.tell();
  } else {
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, two.on_second));
    check(cudaDeviceSynchronize());
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
