// Rank 1 never comes to its first call: it waits for a promise that nobody keeps. Rank 0 waits for
// it where the ranks meet.
// Naive view: no rank has made a recorded call, so there is nobody to blame.
// Expected: deadlock; rank 1 is to blame.
#include <future>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {1})};

int program(int, char**) {
  std::promise<void> settings;
  if (rank() == 1) settings.get_future().wait();
  ncclComm_t world = join_world();
  all_reduce(world, make_stream(), device_floats());
  check(cudaDeviceSynchronize());
  return 0;
}
