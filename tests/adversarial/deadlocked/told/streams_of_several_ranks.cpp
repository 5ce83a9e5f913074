// On ranks 0 and 1 a host function never returns; rank 2 waits for them.
// Expected: those two are to blame (a stall, or a proof that nothing wakes the function).
// Must not say: "ranks 0, 1 has".
#include <semaphore>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("self", {0, 1})
                                          .or_as("stall", "host_stuck", {0, 1})
                                          .or_as("deadlock", "host_stuck", {0, 1}),
                            .ranks = 3,
                            .says_not = {"ranks 0-1: has", "ranks 0, 1: has", "ranks 0, 1 has"}};

int program(int, char**) {
  static std::binary_semaphore never(0);
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() != 2)
    check(cudaLaunchHostFunc(
        stream, [](void*) { never.acquire(); }, nullptr));
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
