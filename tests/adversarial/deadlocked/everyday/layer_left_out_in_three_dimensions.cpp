// Eight ranks: pairs for tensor, pipeline and data parallelism. Rank 5 leaves a layer's all-reduce
// out. Rank 4 waits for it there; the next stage waits for rank 4, and the replicas for both.
// Expected: deadlock; ranks 4 and 5 are to blame, for one of them differs, and nothing tells which.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {4, 5}), .ranks = 8};

int program(int, char**) {
  const Training training;
  const auto part = [&](int color) {
    ncclComm_t one = nullptr;
    check(ncclCommSplit(training.world, color, rank(), &one, nullptr));
    return one;
  };
  const int tensor = rank() % 2;
  const int stage = rank() / 2 % 2;
  const int replica = rank() / 4;
  ncclComm_t layers = part(rank() / 2);
  ncclComm_t stages = part(replica * 2 + tensor);
  ncclComm_t gradients = part(rank() % 4);
  float* passed = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (stage == 1) check(ncclRecv(passed, 1024, ncclFloat, 0, stages, training.stream));
    const bool drops = rank() == 5 && step == 2;
    if (!drops) all_reduce(layers, training.stream, training.data);
    if (stage == 0) check(ncclSend(passed, 1024, ncclFloat, 1, stages, training.stream));
    all_reduce(gradients, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
  }
  training.step();
  return 0;
}
