// Both ranks send as much as NCCL's buffers hold before they receive: two messages of 2 MiB.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  constexpr std::size_t kCount = (2U << 20U) / sizeof(float);
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats(kCount);
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 2; ++i) check(ncclSend(data, kCount, ncclFloat, 1 - rank(), world, stream));
    if (rank() == step % 2) {
      check(cudaStreamSynchronize(stream));
      pause_ms(200);
    }
    for (int i = 0; i < 2; ++i) check(ncclRecv(data, kCount, ncclFloat, 1 - rank(), world, stream));
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
