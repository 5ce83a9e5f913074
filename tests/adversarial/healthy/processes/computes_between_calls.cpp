// Both ranks compute for much longer than the stall limit between two steps.
// Naive view: silence is a stall, and a stall ends the job.
// Expected: completes. It may be reported as a stall meanwhile, but must go on.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(), .options = {"--stall-limit", "300ms"}, .leaves = "done"};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  volatile unsigned long spins = 0;
  for (int step = 0; step < 2; ++step) {
    for (const Deadline end = in_ms(1500); !end.is_over();) spins = spins + 1;
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  if (rank() == 0) std::fclose(std::fopen(shared_file("done").c_str(), "w"));
  return 0;
}
