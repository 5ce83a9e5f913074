// A thread waits on a condition variable. A host function, after an all-reduce on a stream, will
// signal it. Meanwhile the other rank waits for the first in a second all-reduce.
// Naive view: the host sleeps and the streams look idle.
// Expected: completes.
#include <condition_variable>
#include <mutex>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {
std::mutex mutex;
std::condition_variable changed;
bool done = false;
}  // namespace

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 1) pause_ms(200);
  all_reduce(world, stream, data);
  if (rank() == 0) {
    const auto signal = [](void*) {
      pause_ms(300);
      const std::scoped_lock lock(mutex);
      done = true;
      changed.notify_all();
    };
    check(cudaLaunchHostFunc(stream, signal, nullptr));
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return done; });
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
