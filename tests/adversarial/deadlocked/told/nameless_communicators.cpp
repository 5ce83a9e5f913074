// Two communicators without names are crossed. The verdict must tell them apart by their sizes,
// their members or where they were made.
// Must not say: a number that is nowhere in the program, or the same words for both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}),
                            .ranks = 3,
                            .says_not = {"communicator 0x", "(all_reduce #0)\n"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(world, rank() == 2 ? NCCL_SPLIT_NOCOLOR : 0, rank(), &pair, nullptr));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) all_reduce(world, stream, data);
  if (pair != nullptr) all_reduce(pair, stream, data);
  if (rank() != 0) all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
