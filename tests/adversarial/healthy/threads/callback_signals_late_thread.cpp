// A host function signals a thread that has never made a recorded call. 600 ms later, when the
// stream is past the function, that thread makes the missing call. The main thread waits for the
// device.
// Naive view: such threads never begin to make calls.
// Expected: completes.
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
