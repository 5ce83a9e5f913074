// Each of three ranks sends 32 MiB to the next before it receives. A message of that size fits no
// buffer.
// Expected: deadlock; a cycle of all three.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1, 2}), .ranks = 3};

int program(int, char**) {
  constexpr std::size_t kCount = 8U << 20U;
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats(kCount);
  check(ncclSend(data, kCount, ncclFloat, (rank() + 1) % 3, world, stream));
  check(ncclRecv(data, kCount, ncclFloat, (rank() + 2) % 3, world, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
