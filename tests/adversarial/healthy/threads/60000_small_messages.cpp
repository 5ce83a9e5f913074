// 60,000 small messages at full speed, more than the record holds between two looks; then rank 1
// sleeps while rank 0 waits for one more.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto message = [&] {
    if (rank() == 0) {
      check(ncclRecv(data, 1, ncclFloat, 1, world, stream));
    } else {
      check(ncclSend(data, 1, ncclFloat, 0, world, stream));
    }
  };
  for (int i = 0; i < 60000; ++i) message();
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) pause_ms(300);
  message();
  check(cudaStreamSynchronize(stream));
  return 0;
}
