// Each rank loads a plugin before any other call. The plugin's constructor joins a thread, which
// makes the process's first call of CUDA. While a constructor runs, the loader is locked.
// Naive view: a recorder may ask the loader about libraries when the first call comes.
// Expected: completes.
#include "tests/adversarial/setup/job.h"
#include "tests/adversarial/setup/plugin.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  load_plugin("warms_up");
  const ncclComm_t world = join_world();
  float* data = device_floats();
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
