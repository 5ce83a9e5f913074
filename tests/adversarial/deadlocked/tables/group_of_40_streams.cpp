// One group used 40 streams once. Later two communicators are crossed.
// Naive view: a table of 32 streams per group has overflowed, so the box is never trusted again.
// Expected: deadlock; a cycle of both.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  std::vector<cudaStream_t> streams(40);
  for (cudaStream_t& stream : streams) stream = make_stream();
  check(ncclGroupStart());
  for (cudaStream_t stream : streams) all_reduce(two.first, stream, two.x);
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
