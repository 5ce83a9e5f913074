// Eight ranks: pairs for tensor parallelism, two groups of four for data parallelism. In the
// last step, rank 5 leaves the pair's all-reduce out (a layer is dropped by its own random
// numbers).
// Expected: deadlock; rank 5 is to blame.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {5}).or_as("deadlock", "cycle", {4, 5}), .ranks = 8};

int program(int, char**) {
  const Training training;
  ncclComm_t pair = nullptr;
  ncclComm_t replicas = nullptr;
  check(ncclCommSplit(training.world, rank() / 2, rank(), &pair, nullptr));
  check(ncclCommSplit(training.world, rank() % 2, rank(), &replicas, nullptr));
  for (int step = 0; step < 4; ++step) {
    const bool drops = rank() == 5 && step == 3;
    if (!drops) all_reduce(pair, training.stream, training.data, 512);
    all_reduce(replicas, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
  }
  training.step();
  return 0;
}
