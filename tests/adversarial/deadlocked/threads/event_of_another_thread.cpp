// One thread records an event after a collective and ends. Another stream waits for the event
// before the collective in which rank 1 waits. Only one host thread of rank 0 is left.
// Expected: deadlock; a cycle of both.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  if (rank() == 0) {
    std::thread([&] {
      check(cudaSetDevice(0));
      all_reduce(two.first, two.on_first, two.x);
      check(cudaEventRecord(event, two.on_first));
    }).join();
    check(cudaStreamWaitEvent(two.on_second, event, 0));
    all_reduce(two.second, two.on_second, two.y);
  } else {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
