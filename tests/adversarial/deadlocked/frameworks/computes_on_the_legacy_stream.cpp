// Data-parallel training as PyTorch does it by default: kernels on the legacy stream, gradients on
// a stream of NCCL's, for which the legacy stream waits by an event. Rank 1 leaves one bucket out.
// Naive view: a kernel in front of the wait may still run, and fail.
// Expected: deadlock, at once; rank 1 is to blame.
#include "tests/adversarial/setup/ddp.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {1}).or_as("deadlock", "rank_exited", {1}), .ranks = 3};

int program(int, char**) {
  Ddp ddp;
  for (int step = 0; step < 5; ++step) {
    if (step != 3 || rank() != 1) ddp.reduce();
    ddp.read_loss();
  }
  return 0;
}
