// With lazy connect, the first collective of a communicator blocks the host. The two ranks use two
// communicators in opposite orders, each on its own stream. If they were already connected, that
// would pass.
// Expected: deadlock; a cycle of both, inside the calls.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1}),
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"}};

int program(int, char**) {
  Two two;
  if (rank() == 0) all_reduce(two.first, two.on_first, two.x);
  all_reduce(two.second, two.on_second, two.y);
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaDeviceSynchronize());
  return 0;
}
