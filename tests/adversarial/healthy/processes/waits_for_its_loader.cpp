// Rank 0 reads a batch through a pipe from a loader process, which takes 500 ms; rank 1 waits for
// rank 0 in a collective. Then rank 0 waits for the loader's end, and rank 1 for rank 0 again.
// Naive view: a rank that sleeps in read() or waitpid() is dead like the others.
// Expected: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  int batches[2] = {};
  if (pipe(batches) != 0) return 5;
  const pid_t loader = fork();
  if (loader == 0) {
    pause_ms(500);
    if (write(batches[1], "x", 1) != 1) _exit(5);
    pause_ms(500);
    _exit(0);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  char batch = 0;
  if (rank() == 0 && read(batches[0], &batch, 1) != 1) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) waitpid(loader, nullptr, 0);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
