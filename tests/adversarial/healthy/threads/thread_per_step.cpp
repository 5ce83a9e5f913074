// Each step runs in its own thread, which ends before its collective does. A thread that never
// makes a recorded call starts the next one.
// Naive view: all recorded threads of the process are gone or waiting.
// Expected: completes.
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
