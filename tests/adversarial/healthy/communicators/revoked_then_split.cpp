// All revoke the world after an error and split what is left of it. Rank 2 is late.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);  // connects
  check(cudaStreamSynchronize(stream));
  if (rank() != 2) all_reduce(world, stream, data);
  if (rank() == 2) pause_ms(300);
  check(ncclCommRevoke(world, NCCL_REVOKE_DEFAULT));
  check(cudaStreamSynchronize(stream));
  if (rank() == 2) pause_ms(500);
  ncclComm_t next = twin_of(world);
  if (rank() == 1) pause_ms(300);
  all_reduce(next, stream, data);
  check(cudaStreamSynchronize(stream));
  check(ncclCommDestroy(next));
  check(ncclCommDestroy(world));
  return 0;
}
