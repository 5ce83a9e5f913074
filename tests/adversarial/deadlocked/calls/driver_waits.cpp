// Rank 1 waits through the driver API (cuStreamSynchronize) for an all-reduce that rank 0 never
// calls, because it waits for rank 1's next one on another communicator.
// Naive view: who waits in a call that is not recorded may return.
// Expected: deadlock; a cycle of both.
#include <cuda.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  } else {
    all_reduce(two.first, two.on_first, two.x);
    if (cuStreamSynchronize(two.on_first) != CUDA_SUCCESS) return 5;
    all_reduce(two.second, two.on_second, two.y);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
