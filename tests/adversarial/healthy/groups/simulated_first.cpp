// Rank 0 asks how long a group with an all-reduce would take (ncclGroupSimulateEnd), which drops
// the group, and then makes the group. It is late for its next all-reduce, while rank 1 waits
// there.
// Naive view: the simulated call was made, so rank 0 is one call ahead.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    check(ncclGroupStart());
    all_reduce(training.world, training.stream, training.data, 512);
    ncclSimInfo_t estimate = NCCL_SIM_INFO_INITIALIZER;
    static_cast<void>(ncclGroupSimulateEnd(&estimate));  // our NCCL refuses it
  }
  check(ncclGroupStart());
  all_reduce(training.world, training.stream, training.data);
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(training.stream));
  if (rank() == 0) pause_ms(600);
  training.step();
  return 0;
}
