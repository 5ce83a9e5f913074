// Host functions take a lock that the main thread holds around its calls that only enqueue. Legacy,
// blocking and other streams take turns.
// Naive view: a call that only enqueues may wait a moment for what is on the streams.
// Expected: completes.
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
std::mutex g_lock;
int g_count = 0;
void enqueue(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream,
      [](void*) {
        const std::scoped_lock lock(g_lock);
        ++g_count;
      },
      nullptr));
}
}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  const cudaStream_t blocking[2] = {make_stream(cudaStreamDefault), make_stream(cudaStreamDefault)};
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  const auto work = [&](cudaStream_t own) {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    for (int i = 0; i < 300; ++i) {
      const std::scoped_lock lock(g_lock);
      for (const cudaStream_t stream : {own, static_cast<cudaStream_t>(nullptr), training.stream}) {
        enqueue(stream);
        check(cudaMemsetAsync(training.data, 0, 4, stream));
        check(cudaEventRecord(event, stream));
        check(cudaStreamWaitEvent(own, event, 0));
      }
    }
  };
  std::thread other(work, blocking[0]);
  work(blocking[1]);
  other.join();
  check(cudaDeviceSynchronize());
  training.step();
  return g_count == 1800 ? 0 : 6;
}
