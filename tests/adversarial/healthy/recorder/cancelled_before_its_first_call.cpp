// A thread that warms CUDA up turns out not to be needed: it is cancelled (pthread_cancel) before
// it has made its first call, which is the first of the process. A cancellation is acted upon at
// the next cancellation point, and CUDA's call has none.
// Naive view: a recorder may open a file in the first call. open() is a cancellation point.
// Expected: completes.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  std::atomic<bool> go = false;
  std::thread warms_up([&] {
    while (!go) {
    }
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  });
  pthread_cancel(warms_up.native_handle());
  go = true;
  warms_up.join();
  const Training training;
  for (int i = 0; i < 3; ++i) training.step();
  return 0;
}
