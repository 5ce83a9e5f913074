// Rank 1 leaves a step early, between ncclGroupStart and ncclGroupEnd, as code does that throws and
// catches. So all its later calls lie in that group, and none of them begins.
// Even its split returns at once, and it ends.
// Naive view: rank 1 has called what the others wait for, and left too early.
// Expected: deadlock; rank 1 is gone, and the verdict says that its group was open.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("rank_exited", {1}),
                            .ranks = 3,
                            .says = {"ended with a group open", "and not ncclGroupEnd"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t other = twin_of(world);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto step = [&](bool has_data) {
    check(ncclGroupStart());
    all_reduce(world, stream, data);
    if (!has_data) return;
    all_reduce(world, stream, data);
    check(ncclGroupEnd());
  };
  for (int i = 0; i < 3; ++i) {
    step(rank() != 1 || i < 2);
    check(cudaStreamSynchronize(stream));
  }
  twin_of(other);
  check(cudaDeviceSynchronize());
  return 0;
}
