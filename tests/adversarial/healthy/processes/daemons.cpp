// The ranks daemonize: the started processes exit with code 0 at once, and the daemons train.
// Naive view: the job is over ("completes") while the daemons still train and nobody looks at them.
// Expected: completes, once the daemons have ended.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .leaves = "trained"};

int program(int, char**) {
  if (daemon(1, 1) != 0) return 5;
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    pause_ms(200);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  if (rank() == 0) std::fclose(std::fopen(shared_file("trained").c_str(), "w"));
  return 0;
}
