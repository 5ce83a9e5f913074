// 60,000 small collectives run at full speed on one communicator, so that the ring loses another
// communicator's operations. Then the two are crossed on one stream.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  all_reduce(two.second, two.on_second, two.y, 1);
  for (int i = 0; i < 60000; ++i) all_reduce(two.first, two.on_first, two.x, 1);
  check(cudaDeviceSynchronize());
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
