// A thread aborts the communicator at the moment when the missing member comes. Either way the
// waiting thread goes on. This happens fifty times, with new communicators.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  for (int i = 0; i < 50; ++i) {
    ncclComm_t child = nullptr;
    check(ncclCommSplit(two.second, 0, rank(), &child, nullptr));
    std::thread aborter([&] {
      pause_ms(2);
      ncclCommAbort(child);
    });
    if (rank() == 1) usleep(static_cast<unsigned>(1500 + 20 * i));
    ncclAllReduce(two.x, two.x, 64, ncclFloat, ncclSum, child, two.on_first);
    check(cudaStreamSynchronize(two.on_first));
    aborter.join();
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
