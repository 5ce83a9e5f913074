// A host function hands its word to a thread that never made a recorded call; the stream is past
// the function when that thread, 600 ms later, makes the missing call. Main waits for the device.
// Naive: such threads never begin.
// Must be said: completes.
#include <semaphore>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  static std::binary_semaphore word(0);
  Two two;
  std::thread late([&] {
    word.acquire();
    if (rank() == 0) pause_ms(900);
    check(cudaSetDevice(rank()));
    all_reduce(two.first, two.on_first, two.x);
  });
  check(cudaLaunchHostFunc(
      two.on_second, [](void*) { word.release(); }, nullptr));
  if (rank() == 0) {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  } else {
    late.join();
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
  }
  if (late.joinable()) late.join();
  check(cudaDeviceSynchronize());
  return 0;
}
