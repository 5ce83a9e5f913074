// Each step runs in a thread of its own, which ends before its collective does; the next one is
// started by a thread that never makes a recorded call.
// Naive: the process's recorded threads are gone or waiting.
// Must be said: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  std::thread driver([] {
    Two* two = nullptr;
    std::thread([&] { two = new Two; }).join();
    for (int step = 0; step < 4; ++step) {
      if (step % 2 == rank()) pause_ms(300);
      std::thread([&] {
        check(cudaSetDevice(rank()));
        all_reduce(two->first, two->on_first, two->x);
      }).join();
    }
    std::thread([&] {
      check(cudaSetDevice(rank()));
      check(cudaDeviceSynchronize());
    }).join();
  });
  driver.join();
  return 0;
}
