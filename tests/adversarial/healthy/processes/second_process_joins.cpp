// Ranks 0 and 1 of one communicator are both processes of launched rank 0. The second is forked
// before CUDA is used and joins a second later. Meanwhile the first waits in ncclCommInitRank.
// Naive view: all launched ranks are known and wait, so nobody is left to come.
// Expected: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 1};

namespace {
void work(int as, const ncclUniqueId& id) {
  check(cudaSetDevice(as));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, as));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (as == 1) pause_ms(400);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
}
}  // namespace

int program(int, char**) {
  int ends[2] = {};
  if (pipe(ends) != 0) return 5;
  ncclUniqueId id;
  const pid_t child = fork();
  if (child == 0) {
    if (read(ends[0], &id, sizeof id) != sizeof id) _exit(5);
    pause_ms(1000);
    work(1, id);
    _exit(0);
  }
  check(ncclGetUniqueId(&id));
  if (write(ends[1], &id, sizeof id) != sizeof id) return 5;
  work(0, id);
  waitpid(child, nullptr, 0);
  return 0;
}
