// Rank 0 waits for a broadcast by rank 1, which rank 1's thread for checkpoints calls. That thread
// sleeps for 2.5 s before its first recorded call. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both wait for each other.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two both;
  std::thread checkpoints;
  if (rank() == 0) both.be_told(1);
  if (rank() == 1) {
    checkpoints = std::thread([&] {
      pause_ms(2500);
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      both.tell();
    });
  }
  all_reduce(both.first, both.on_first, both.x);
  check(cudaStreamSynchronize(both.on_first));
  if (checkpoints.joinable()) checkpoints.join();
  return 0;
}
