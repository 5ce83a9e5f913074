// Rank 0's main thread calls exit() after an error, whose handler (atexit) joins the training
// thread. That waits in a collective for rank 1's training thread, which waits in the loop's
// barrier for rank 0's main thread.
// Expected: deadlock; rank 0 (or the cycle of both).
#include <cstdlib>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect =
                                deadlock("cycle", {0, 1}).or_as("deadlock", "missing_rank", {0})};

static std::thread g_trainer;

int program(int, char**) {
  static const Two two;
  const auto step = [] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  };
  const auto barrier = [] {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  };
  std::atexit([] {
    if (g_trainer.joinable()) g_trainer.join();
  });
  step();
  barrier();
  if (rank() == 0) {
    g_trainer = std::thread(step);
    std::exit(1);
  }
  barrier();
  step();
  return 0;
}
