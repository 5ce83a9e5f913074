// In rank 0's graph, an all-reduce and a host function are on two branches. The host function wakes
// the main thread while the all-reduce waits for rank 1, which waits for that thread's next call.
// Naive view: the graph is at its all-reduce.
// Expected: completes.
#include <future>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  static std::promise<void> copied;
  const Two two;
  if (rank() == 0) {
    cudaStream_t side = make_stream();
    const auto wake = [](void*) {
      pause_ms(300);
      copied.set_value();
    };
    cudaGraphExec_t step = captured(two.on_first, [&] {
      after(side, two.on_first);
      all_reduce(two.first, two.on_first, two.x);
      check(cudaLaunchHostFunc(side, wake, nullptr));
      after(two.on_first, side);
    });
    check(cudaGraphLaunch(step, two.on_first));
    copied.get_future().wait();
    all_reduce(two.second, two.on_second, two.y);
  } else {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
