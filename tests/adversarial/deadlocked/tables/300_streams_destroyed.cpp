// 300 streams were made, used and destroyed, twenty at a time; then two communicators are crossed.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  for (int i = 0; i < 15; ++i) {
    cudaStream_t streams[20] = {};
    for (cudaStream_t& stream : streams) stream = make_stream();
    for (cudaStream_t stream : streams) all_reduce(two.first, stream, two.x);
    for (cudaStream_t stream : streams) check(cudaStreamDestroy(stream));
    check(cudaDeviceSynchronize());
  }
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
