// Each rank loads a plugin whose constructor joins a thread that calls CUDA. While a constructor
// runs, the loader is locked.
// Naive view: a recorder may look up a function of CUDA's when it is first called.
// Expected: completes.
#include "tests/adversarial/setup/job.h"
#include "tests/adversarial/setup/plugin.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  float* data = device_floats();
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, data);
  load_plugin("warms_up");
  check(cudaStreamSynchronize(stream));
  return 0;
}
