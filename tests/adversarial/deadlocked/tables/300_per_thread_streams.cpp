// 300 threads came and went, each with its per-thread default stream. Then rank 1 leaves out a
// call.
// Naive view: the table of streams stays full for ever, so the box is not trusted.
// Expected: deadlock, rank 1 is missing; or the cycle of both.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      check(cudaSetDevice(rank()));
      all_reduce(two.first, cudaStreamPerThread, two.x);
      check(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
  }
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
