// 300 communicators were made, and then all destroyed. Then a new one is crossed with the world.
// Naive view: the table of communicators stays full for ever.
// Expected: deadlock; a cycle of both.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  std::vector<ncclComm_t> children(300);
  for (ncclComm_t& child : children) check(ncclCommSplit(world, 0, rank(), &child, nullptr));
  for (ncclComm_t child : children) check(ncclCommDestroy(child));
  ncclComm_t later = nullptr;  // needs an entry of one that is gone
  check(ncclCommSplit(world, 0, rank(), &later, nullptr));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(rank() == 0 ? world : later, stream, data);
  all_reduce(rank() == 0 ? later : world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
