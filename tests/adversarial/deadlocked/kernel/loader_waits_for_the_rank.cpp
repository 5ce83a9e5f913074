// Rank 0 waits in waitpid for its loader, which waits on a pipe for a message from rank 0. Rank 1
// waits for rank 0 in a collective. Only rank 0 and its loader hold the ends of the pipe.
// Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  int words[2] = {};
  if (pipe(words) != 0) return 5;
  const pid_t loader = rank() == 0 ? fork() : 0;
  if (rank() == 0 && loader == 0) {
    close(words[1]);
    char word = 0;
    _exit(read(words[0], &word, 1) == 1 ? 0 : 5);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) waitpid(loader, nullptr, 0);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (write(words[1], "x", 1) != 1) return 6;
  return 0;
}
