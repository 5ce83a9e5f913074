// As in Horovod, a background thread of each rank reduces what the main thread submits, once the
// coordinator in rank 0 has heard of all ranks. Rank 2 submits one tensor less, and its main thread
// goes on to an evaluation on a communicator of its own.
// Naive view: rank 0 does not answer rank 1, so it is to blame.
// Expected: deadlock; rank 2 is to blame, or the cycle of all.
#include "tests/adversarial/setup/negotiation.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {2}), .ranks = 3};

int program(int, char**) {
  const Two two;
  Negotiation negotiation(two);
  const int tensors = rank() == 2 ? 2 : 3;
  for (int tensor = 0; tensor < tensors; ++tensor) negotiation.reduce();
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  std::_Exit(0);
}
