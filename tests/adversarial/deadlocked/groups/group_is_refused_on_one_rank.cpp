// All-to-all by messages in a group. Rank 1 of three passes a wrong peer, so NCCL refuses its
// whole group. It logs the error and goes on to the next reduction.
// Expected: deadlock; rank 1 is to blame.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {1}).or_as("deadlock", "mismatch", {1}), .ranks = 3};

int program(int, char**) {
  const Training training;
  float* data = device_floats(4096);
  training.step();
  ncclGroupStart();
  for (int peer = 0; peer < ranks(); ++peer) {
    const int to = rank() == 1 && peer == 2 ? 3 : peer;
    ncclSend(data, 64, ncclFloat, to, training.world, training.stream);
    ncclRecv(data + 1024, 64, ncclFloat, peer, training.world, training.stream);
  }
  const ncclResult_t result = ncclGroupEnd();
  if (result != ncclSuccess) std::fprintf(stderr, "%s\n", ncclGetErrorString(result));
  check(cudaStreamSynchronize(training.stream));
  training.step();
  return 0;
}
