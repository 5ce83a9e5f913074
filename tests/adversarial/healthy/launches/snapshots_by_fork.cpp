// A heap profiler forks in an allocation inside a launch of a collective, for a snapshot of the
// memory. The child comes back from the launch, at once or late, and ends. The training goes on,
// and each rank is late at times.
// Naive view: who comes back from the call is the rank.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes()};

namespace {
pid_t g_child = -1;
unsigned g_late = 0;
}  // namespace

int program(int, char**) {
  const Two two;
  for (int step = 0; step < 16; ++step) {
    const bool turned = step % 3 == 1;
    if (rank() == step % 2) pause_ms(60);
    g_child = -1;
    if (rank() == 0 && step % 2 == 0) {
      g_late = step % 4 == 0 ? 0 : 90;
      t_in_allocation = [] {
        g_child = fork();
        if (g_child == 0) pause_ms(g_late);
      };
    }
    all_reduce(turned ? two.second : two.first, two.on_first, two.x);
    if (g_child == 0) _exit(0);
    t_in_allocation = nullptr;
    all_reduce(turned ? two.first : two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_first));
    if (rank() == 1) pause_ms(40);
    check(cudaStreamSynchronize(two.on_second));
    if (g_child > 0) wait_for(g_child);
  }
  return 0;
}
