// A rank's own child process stops it for a second in the middle of a step, then continues it.
// Naive view: a stopped thread can never act again.
// Expected: completes.
#include <sys/wait.h>

#include <csignal>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  pid_t tormentor = 0;
  if (rank() == 1) {
    const pid_t self = getpid();
    tormentor = fork();
    if (tormentor == 0) {
      pause_ms(100);
      kill(self, SIGSTOP);
      pause_ms(1000);
      kill(self, SIGCONT);
      _exit(0);
    }
  }
  for (int step = 0; step < 100; ++step) {
    pause_ms(5);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  if (tormentor != 0) waitpid(tormentor, nullptr, 0);
  return 0;
}
