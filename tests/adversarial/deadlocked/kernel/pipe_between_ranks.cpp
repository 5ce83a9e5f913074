// Rank 0 reads from a pipe (a fifo) what rank 1 writes after a collective. Rank 0 joins that
// collective only after the read. Only ranks of the job hold the ends of the pipe.
// Naive view: a read from a pipe is outside recorded calls, so rank 0 can act.
// Expected: deadlock; a cycle of both, through the pipe.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  mkfifo(shared_file("fifo").c_str(), 0600);
  const int end = open(shared_file("fifo").c_str(), rank() == 0 ? O_RDONLY : O_WRONLY);
  if (rank() == 0) unlink(shared_file("fifo").c_str());  // so nobody else can open it
  char word = 0;
  if (rank() == 0 && read(end, &word, 1) != 1) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1 && write(end, "x", 1) != 1) return 5;
  return 0;
}
