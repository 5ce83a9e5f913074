// Rank 0 launches a graph: a host function that wakes the main thread (the batch is staged), then
// an all-reduce. The thread then makes the call in which rank 1 waits; rank 1 joins the all-reduce
// after that.
// Naive view: a graph is its communications. While they are stuck, nothing in it can happen.
// Expected: completes.
#include <condition_variable>
#include <mutex>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

namespace {
std::mutex mutex;
std::condition_variable changed;
bool staged = false;
}  // namespace

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    const auto wake = [](void*) {
      pause_ms(300);
      const std::scoped_lock lock(mutex);
      staged = true;
      changed.notify_all();
    };
    cudaGraphExec_t step = captured(two.on_first, [&] {
      check(cudaLaunchHostFunc(two.on_first, wake, nullptr));
      all_reduce(two.first, two.on_first, two.x);
    });
    check(cudaGraphLaunch(step, two.on_first));
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [] { return staged; });
    }
    all_reduce(two.second, two.on_second, two.y);
  } else {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
