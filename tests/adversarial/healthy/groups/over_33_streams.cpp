// One group puts an all-reduce on each of 40 streams; one rank comes late.
// Naive view: a table of 32 streams per group overflows, and the lost streams are misread.
// Expected: completes.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  std::vector<cudaStream_t> streams(40);
  for (cudaStream_t& stream : streams) stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (rank() == step % 2) pause_ms(100);
    check(ncclGroupStart());
    for (cudaStream_t stream : streams) all_reduce(world, stream, data);
    check(ncclGroupEnd());
    for (cudaStream_t stream : streams) check(cudaStreamSynchronize(stream));
  }
  return 0;
}
