// Rank 2 dies. The others see ncclRemoteError by polling, abort the interrupted work by a shrink,
// and go on without rank 2.
// Naive view: a rank is gone while others wait for it.
// Expected: that rank 2 failed; never a deadlock.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("fails", "", {2}).or_as("fails", "none", {2}),
                            .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 2) _exit(7);
  all_reduce(world, stream, data);
  ncclResult_t state = ncclSuccess;
  while (state == ncclSuccess && cudaStreamQuery(stream) == cudaErrorNotReady) {
    check(ncclCommGetAsyncError(world, &state));
    pause_ms(1);
  }
  int excluded = 2;
  ncclComm_t rest = nullptr;
  check(ncclCommShrink(world, &excluded, 1, &rest, nullptr, NCCL_SHRINK_ABORT));
  if (rank() == 0) pause_ms(400);
  all_reduce(rest, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
