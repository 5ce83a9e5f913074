// A heap profiler forks in one allocation, inside rank 0's launch: the child has a snapshot of the
// memory. It comes back from the launch, and ends. Rank 0 goes on to an all-reduce that rank 1
// never makes, because it comes later (after 1.2 s) and waits for rank 0's broadcast. Naive view:
// who comes back from the launch is rank 0. Expected: deadlock; a cycle of both.
#include <atomic>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

namespace {
pid_t g_child = -1;
}

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaStream_t side = make_stream();
    t_in_allocation = [] {
      g_child = fork();
      if (g_child == 0) _exit(0);
    };
    host_function(side);
    if (g_child == 0) {
      pause_ms(300);
      _exit(0);
    }
    if (g_child < 0) return 9;
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
    wait_for(g_child);
  } else {
    pause_ms(1200);
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
