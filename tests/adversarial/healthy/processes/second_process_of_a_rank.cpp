// Each rank is two processes, forked before CUDA is used. Rank 0's second process is a second late
// to a communicator of both second processes, and rank 0's first process waits for it through the
// other rank.
// Naive view: a rank is one process, so nobody is left to come.
// Expected: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const pid_t child = fork();
  if (child == 0) {
    pause_ms(rank() == 0 ? 1000 : 100);
    std::fclose(std::fopen(shared_file("late" + std::to_string(rank())).c_str(), "w"));
    cudaSetDevice(2 + rank());
    float* data = device_floats();
    check(cudaFree(data));
    _exit(0);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  } else {
    while (access(shared_file("late0").c_str(), F_OK) != 0) pause_ms(1);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  waitpid(child, nullptr, 0);
  return 0;
}
