// As in some servers, the first thread ends (pthread_exit) when it has started the others. They
// enter two collectives in different orders.
// Naive view: a process whose first thread is a zombie is about to end, so nothing is proven.
// Expected: deadlock, a cycle.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  static const Two two;
  std::thread([] {
    check(cudaSetDevice(rank()));
    pause_ms(50);
    if (rank() == 0) {
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
    }
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
    check(cudaDeviceSynchronize());
    std::_Exit(0);
  }).detach();
  pthread_exit(nullptr);
}
