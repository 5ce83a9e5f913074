// A thread opens a group, calls an all-reduce in it and ends: the group is never closed and nothing
// was enqueued. Other threads of the process make the call properly.
// Naive view: the announced call holds its slot and its stream for ever.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    std::thread([&] {
      check(cudaSetDevice(0));
      check(ncclGroupStart());
      all_reduce(two.first, two.on_first, two.x);
    }).join();
    check(cudaStreamSynchronize(two.on_first));
    pause_ms(200);
  }
  for (int step = 0; step < 3; ++step) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaDeviceSynchronize());
  }
  return 0;
}
