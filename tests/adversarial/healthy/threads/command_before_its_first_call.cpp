// Rank 1's thread for checkpoints runs a command for 2.5 s, as if it copied files elsewhere, and
// then makes its first recorded call, for which rank 0 waits. Rank 1's main thread waits for rank 0
// meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <cstdlib>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two both;
  std::thread checkpoints;
  if (rank() == 0) both.be_told(1);
  if (rank() == 1) {
    checkpoints = std::thread([&] {
      if (std::system("sleep 2.5") != 0) std::_Exit(6);
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      both.tell();
    });
  }
  all_reduce(both.first, both.on_first, both.x);
  check(cudaStreamSynchronize(both.on_first));
  if (checkpoints.joinable()) checkpoints.join();
  return 0;
}
