// A ring of eight ranks that all receive first.
// Must not say: "ranks 0-7: waits", or a list that is cut by only one line.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1, 2, 3, 4, 5, 6, 7}),
                            .ranks = 8,
                            .says_not = {"and 1 more", "ranks 0-7: waits"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto slots = static_cast<std::size_t>(rank()) + 1;
  check(ncclRecv(data, slots, ncclFloat, (rank() + 1) % 8, world, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
