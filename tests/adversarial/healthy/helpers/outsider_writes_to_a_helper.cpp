// Rank 0 has finished. Rank 1 waits for its helper, which reads from a named pipe that it has open
// for both ways, as daemons do. A process outside the job opens the pipe a second later and writes.
// Naive view: only the helper holds the pipe.
// Expected: completes; a proof would have to assume that nobody opens the pipe, and so to stand.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .outsider = true};

int program(int argc, char**) {
  const std::string name = shared_file("pipe");
  const std::string asked = shared_file("asked");
  if (argc > 1) {
    while (access(asked.c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(1000);
    return write(open(name.c_str(), O_WRONLY), "x", 1) == 1 ? 0 : 5;
  }
  const Training training;
  training.step();
  ncclComm_t rest = nullptr;
  check(
      ncclCommSplit(training.world, rank() == 0 ? NCCL_SPLIT_NOCOLOR : 0, rank(), &rest, nullptr));
  check(ncclCommDestroy(training.world));
  if (rank() == 0) return 0;
  pause_ms(200);
  if (rank() == 1) {
    mkfifo(name.c_str(), 0600);
    wait_for(start_helper([&] {
      const int both = open(name.c_str(), O_RDWR);
      std::ofstream(asked) << 1;
      char word = 0;
      if (read(both, &word, 1) != 1) std::_Exit(5);
    }));
  }
  all_reduce(rest, training.stream, training.data);
  check(cudaStreamSynchronize(training.stream));
  return 0;
}
