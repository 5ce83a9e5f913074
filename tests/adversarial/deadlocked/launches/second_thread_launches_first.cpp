// Rank 0's autograd thread launches a kernel that must be loaded (its first call of the
// device's), which waits for an all-reduce. The main thread waits for the autograd thread at a
// condition variable, with the broadcast still to make in which ranks 1 and 2 wait before they
// join the all-reduce.
// Naive view: a thread that is in no box may still do anything.
// Expected: deadlock; a cycle of all, or rank 0 is missing.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/unloaded_kernel.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {0}).or_as("deadlock", "cycle", {0, 1, 2}).assuming(" "),
    .ranks = 3};

int program(int, char**) {
  const Two two;
  const UnloadedKernel kernel;
  cudaStream_t side = make_stream();
  if (rank() != 0) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  all_reduce(two.first, two.on_first, two.x);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread autograd([&] {
    check(cudaSetDevice(rank()));
    kernel.launch(side);
    const std::scoped_lock lock(mutex);
    done = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }
  two.tell();
  autograd.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
