// A heap profiler counts all allocations under a lock. Its own thread also holds the lock while it
// puts a mark into a stream of its own, so that its tables agree with the device's. Meanwhile the
// main thread launches graphs with all-reduces. CUDA allocates in these calls, but holds no lock
// then that both need.
// Naive view: a recorder may allocate while it holds a lock of its own.
// Expected: completes.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
constinit std::mutex g_heap;
constinit std::atomic<std::uint64_t> g_bytes = 0;
thread_local bool t_profiles = false;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (t_profiles) {
    g_bytes += bytes;
  } else {
    const std::scoped_lock lock(g_heap);
    g_bytes += bytes;
  }
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int program(int, char**) {
  const Training training;
  training.step();
  cudaGraphExec_t step = captured(training.stream, [&] {
    for (int i = 0; i < 4; ++i) all_reduce(training.world, training.stream, training.data, 8);
  });
  std::atomic<bool> ended = false;
  std::thread profiler([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    const cudaStream_t own = make_stream();
    t_profiles = true;
    while (!ended) {
      {
        const std::scoped_lock lock(g_heap);
        check(cudaLaunchHostFunc(
            own, [](void*) {}, nullptr));
      }
      check(cudaStreamSynchronize(own));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    check(cudaGraphLaunch(step, training.stream));
    if (i % 20 == 19) check(cudaStreamSynchronize(training.stream));
  }
  check(cudaStreamSynchronize(training.stream));
  ended = true;
  profiler.join();
  training.step();
  return 0;
}
