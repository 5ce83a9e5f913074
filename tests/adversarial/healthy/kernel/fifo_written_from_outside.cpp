// Rank 0 reads from a named pipe whose both ends it holds. A process that does not belong to the
// job opens the pipe after 1.5 s and writes. Naive view: only rank 0 has the pipe, and it sleeps
// there. Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <string_view>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char** argv) {
  const std::string pipe = shared_file("pipe");
  const std::string asked = shared_file("asked");
  if (argc > 1 && std::string_view(argv[1]) == "outsider") {
    while (access(asked.c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(1500);
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
    std::ofstream(asked) << 1;
    char word = 0;
    if (read(both, &word, 1) != 1) return 5;
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
