// Rank 0 destroys a stream whose host function still runs. After 1200 ms, the function wakes a
// thread that makes the missing call.
// Naive view: nothing comes from a stream that is gone.
// Expected: completes.
#include <semaphore>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  static std::binary_semaphore word(0);
  Two two;
  if (rank() == 0) {
    cudaStream_t side = make_stream();
    const auto call_back = [](void*) {
      pause_ms(1200);
      word.release();
    };
    check(cudaLaunchHostFunc(side, call_back, nullptr));
    check(cudaStreamDestroy(side));
    std::thread late([&] {
      check(cudaSetDevice(0));
      check(cudaStreamSynchronize(two.on_first));
      word.acquire();
      all_reduce(two.first, two.on_first, two.x);
    });
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    late.join();
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
