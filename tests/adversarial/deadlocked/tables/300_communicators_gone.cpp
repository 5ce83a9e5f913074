// 300 communicators were made, and then all destroyed. Then two others are crossed.
// Naive view: the table of communicators stays full for ever.
// Expected: deadlock; a cycle of both.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::vector<ncclComm_t> children(300);
  for (ncclComm_t& child : children) check(ncclCommSplit(two.first, 0, rank(), &child, nullptr));
  for (ncclComm_t child : children) check(ncclCommDestroy(child));
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
