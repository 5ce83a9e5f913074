// Hierarchical reduction on two nodes of two: leaders 0 and 2 reduce, then each broadcasts on
// its node. Rank 2 forgets the broadcast in one step and is at the next reduction of its node,
// where rank 3 is not.
// Expected: deadlock; rank 2 is to blame (or the pair of 2 and 3).
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("mismatch", {2, 3})
                                          .or_as("deadlock", "mismatch", {2})
                                          .or_as("deadlock", "missing_rank", {2})
                                          .or_as("deadlock", "cycle", {2, 3}),
                            .ranks = 4};

int program(int, char**) {
  const Training training;
  ncclComm_t node = nullptr;
  ncclComm_t leaders = nullptr;
  check(ncclCommSplit(training.world, rank() / 2, rank(), &node, nullptr));
  check(ncclCommSplit(training.world, rank() % 2 == 0 ? 0 : NCCL_SPLIT_NOCOLOR, rank(), &leaders,
                      nullptr));
  for (int step = 0; step < 4; ++step) {
    check(ncclReduce(training.data, training.data, 1024, ncclFloat, ncclSum, 0, node,
                     training.stream));
    if (leaders != nullptr) all_reduce(leaders, training.stream, training.data);
    if (!(rank() == 2 && step == 2)) {
      check(ncclBroadcast(training.data, training.data, 1024, ncclFloat, 0, node, training.stream));
    }
    check(cudaStreamSynchronize(training.stream));
  }
  training.step();
  return 0;
}
