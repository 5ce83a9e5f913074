// Rank 1's thread for checkpoints sleeps for 7 s by poll before its first recorded call, for which
// rank 0 waits. (The kernel ends such a sleep by up to a two-hundredth later.) Rank 1's main thread
// waits for rank 0 meanwhile.
// Naive view: when the time of that sleep is over, the thread has had its chance.
// Expected: completes.
#include <poll.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "12s"}};

int program(int, char**) {
  const Two both;
  std::thread checkpoints;
  if (rank() == 0) both.be_told(1);
  if (rank() == 1) {
    checkpoints = std::thread([&] {
      poll(nullptr, 0, 7000);
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      both.tell();
    });
  }
  all_reduce(both.first, both.on_first, both.x);
  check(cudaStreamSynchronize(both.on_first));
  if (checkpoints.joinable()) checkpoints.join();
  return 0;
}
