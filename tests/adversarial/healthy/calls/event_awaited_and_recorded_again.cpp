// A thread waits for an event that marks finished work. Another one records the event again, behind
// an all-reduce that cannot complete before the first thread has gone on.
// Naive view: the thread waits for the last place at which the event was recorded.
// Expected: completes.
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  hold(two.on_first);
  check(cudaEventRecord(event, two.on_first));
  std::thread again([&] {
    check(cudaSetDevice(rank()));
    pause_ms(50);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecord(event, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
  });
  check(cudaEventSynchronize(event));
  if (rank() == 1) pause_ms(500);
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  again.join();
  return 0;
}
