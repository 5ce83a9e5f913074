// The main thread joins a worker that waits for the device for ever, because rank 1 leaves out a
// call.
// Naive view: the main thread has made recorded calls and is now outside them, so it can act.
// Expected: deadlock, rank 1 is to blame.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "cycle", {0, 1})
                                          .or_as("deadlock", "rank_exited", {1}),
                            .ranks = 3};

int program(int, char**) {
  Two two;
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    if (rank() != 1) all_reduce(two.first, two.on_first, two.x);
    check(cudaDeviceSynchronize());
    all_reduce(two.second, two.on_second, two.y);
    check(cudaDeviceSynchronize());
  });
  worker.join();
  return 0;
}
