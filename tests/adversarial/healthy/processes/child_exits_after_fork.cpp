// A rank forks after it has used CUDA, as data loaders do; the child makes no CUDA call and ends by
// exit(), which runs all of the parent's exit handlers. The parent goes on.
// Naive view: the child's end closes the parent's record.
// Expected: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    const pid_t child = fork();
    if (child == 0) {
      pause_ms(50);
      std::exit(0);
    }
    if (step % 2 == rank()) pause_ms(200);
    all_reduce(world, stream, data);
    waitpid(child, nullptr, 0);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
