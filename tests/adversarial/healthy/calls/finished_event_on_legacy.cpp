// The legacy stream of rank 0 waits for an event that is long past (setup/between.h).
// Naive view: the wait is work, and so comes between the two blocking streams.
// Expected: completes.
#include "tests/adversarial/setup/between.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  all_reduce(two.second, two.on_second, two.y);
  check(cudaEventRecord(event, two.on_second));
  check(cudaEventSynchronize(event));
  return tell_behind(two, true, [&] { check(cudaStreamWaitEvent(nullptr, event, 0)); });
}
