// Rank 1 computes for 5 s before its first CUDA call, like a job that imports a large framework on
// a busy machine. The stall limit is short, so that the test need not take longer.
// Naive view: a rank that has made no call yet is silent.
// Expected: completes.
// Must not happen: the job is ended, although it computes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(), .options = {"--stall-limit", "200ms"}, .leaves = "done"};

int program(int, char**) {
  volatile unsigned long spins = 0;
  if (rank() == 1) {
    for (const Deadline end = in_ms(5000); !end.is_over();) spins = spins + 1;
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) std::fclose(std::fopen(shared_file("done").c_str(), "w"));
  return 0;
}
