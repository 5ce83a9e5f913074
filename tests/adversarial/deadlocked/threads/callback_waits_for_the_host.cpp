// A host function on a stream waits on a semaphore, which the main thread posts only after it has
// synchronized that stream. Rank 1 waits for rank 0 in a collective.
// Naive view: nobody sees into a host function, so the stream may go on.
// Expected: deadlock of rank 0 with itself; rank 1 is a victim.
#include <semaphore>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("self", {0}).or_as("deadlock", "cycle", {0})};

int program(int, char**) {
  static std::binary_semaphore posted(0);
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    check(cudaLaunchHostFunc(
        stream, [](void*) { posted.acquire(); }, nullptr));
    check(cudaStreamSynchronize(stream));
    posted.release();
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
