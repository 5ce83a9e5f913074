// Ranks 0 to 2 take rank 3 for dead, because it is late, and shrink the world without it. They
// train on, close what they have, and end well. Rank 3 lives, and waits for them in the old world.
// Naive view: three ranks are gone, so they are to blame.
// Expected: deadlock. Rank 3 waits for ranks that have gone on without it.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("rank_exited", {0, 1, 2}).or_as("deadlock", "missing_rank", {3}),
    .ranks = 4};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 3) {
    pause_ms(400);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
    return 0;
  }
  int gone = 3;
  ncclComm_t rest = nullptr;
  check(ncclCommShrink(world, &gone, 1, &rest, nullptr, NCCL_SHRINK_ABORT));
  all_reduce(rest, stream, data);
  check(cudaStreamSynchronize(stream));
  check(ncclCommDestroy(rest));
  check(ncclCommAbort(world));
  return 0;
}
