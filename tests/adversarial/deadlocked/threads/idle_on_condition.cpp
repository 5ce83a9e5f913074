// As in most jobs, there is a second thread that has used CUDA and now idles on a condition
// variable, which only the main thread signals (PyTorch's autograd thread). Rank 1 leaves out a
// call.
// Naive view: a recorded thread outside recorded calls can always act, so this is a stall after 30
// s.
// Expected: deadlock, rank 1 is to blame.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "rank_exited", {1})
                                          .or_as("deadlock", "cycle", {0, 1}),
                            .ranks = 3};

int program(int, char**) {
  Two two;
  std::mutex mutex;
  std::condition_variable changed;
  bool wanted = false;
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    check(cudaStreamSynchronize(two.on_first));
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return wanted; });
  });
  pause_ms(20);
  if (rank() != 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaDeviceSynchronize());
  all_reduce(two.second, two.on_second, two.y);
  check(cudaDeviceSynchronize());
  {
    const std::scoped_lock lock(mutex);
    wanted = true;
  }
  changed.notify_all();
  worker.join();
  return 0;
}
