// Rank 0 works on the host for most of the stall limit. Then it reads from a named pipe, both ends
// of which it holds. A process outside the job opens the pipe and writes to it 0.6 s later. The
// stall limit is over in between.
// Naive view: what looks dead when the limit is over has looked so for long enough.
// Expected: completes. It may be reported as a stall meanwhile.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  const std::string pipe = shared_file("pipe");
  const std::string asked = shared_file("asked");
  if (argc > 1) {
    while (access(asked.c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(600);
    return write(open(pipe.c_str(), O_WRONLY), "x", 1) == 1 ? 0 : 5;
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    mkfifo(pipe.c_str(), 0600);
    const int both = open(pipe.c_str(), O_RDWR);
    pause_ms(2800);
    std::ofstream(asked) << 1;
    char word = 0;
    if (read(both, &word, 1) != 1) return 5;
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
