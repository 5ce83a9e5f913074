// Rank 0 writes log lines into a pipe until it is full. Its own child, which should read them,
// waits for a file lock that rank 0 holds. Rank 1 waits for rank 0 in a collective.
// Naive view: write() is outside recorded calls, so rank 0 can act.
// Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
#include <fcntl.h>
#include <sys/file.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  int lines[2] = {};
  if (pipe(lines) != 0) return 5;
  const std::string lock = shared_file("lock");
  if (rank() == 0) {
    const int held = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (flock(held, LOCK_EX) != 0) return 6;
    if (fork() == 0) {
      close(held);
      close(lines[1]);
      char line[64];
      const int again = open(lock.c_str(), O_RDWR);
      if (flock(again, LOCK_EX) != 0) _exit(6);
      while (read(lines[0], line, sizeof line) > 0) {
      }
      _exit(0);
    }
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const char line[64] = "step";
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; rank() == 0 && i < 500; ++i) {
      if (write(lines[1], line, sizeof line) < 0) return 7;
    }
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
