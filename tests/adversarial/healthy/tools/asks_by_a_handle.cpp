// A library of the program's own has an ncclAllReduce and a cudaStreamSynchronize, which find the
// vendors' by the handles of their libraries (setup/tools/asks_by_a_handle.cpp).
// Naive view: a handle's function is NCCL's, so the recorder's own may be given out for it.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
