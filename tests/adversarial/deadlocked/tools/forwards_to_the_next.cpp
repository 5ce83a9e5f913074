// A library of the program's own has an ncclAllReduce that calls the next one
// (setup/tools/forwards_to_the_next.cpp), as tracers do. The ranks cross two communicators.
// Naive view: the next one is NCCL's, so the calls are not recorded.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
