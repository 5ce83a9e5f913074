// Rank 1's thread for checkpoints sleeps for 2.5 s by select (as Python did up to 3.10) before its
// first recorded call, for which rank 0 waits. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <sys/select.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two both;
  std::thread checkpoints;
  if (rank() == 0) both.be_told(1);
  if (rank() == 1) {
    checkpoints = std::thread([&] {
      timeval limit{.tv_sec = 2, .tv_usec = 500'000};
      select(0, nullptr, nullptr, nullptr, &limit);
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      both.tell();
    });
  }
  all_reduce(both.first, both.on_first, both.x);
  check(cudaStreamSynchronize(both.on_first));
  if (checkpoints.joinable()) checkpoints.join();
  return 0;
}
