// A launch's allocation takes a second (a heap that grows), in cudaGraphLaunch on one thread.
// Another thread launches host functions meanwhile, and is never late by more than 0.3 s.
// Naive view: nobody allocates under a lock.
// Expected: completes.
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
thread_local int t_slow = 0;
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (t_slow > 0) {
    --t_slow;
    pause_ms(100);
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
  long longest = 0;
  std::thread other([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    const cudaStream_t own = make_stream();
    while (!ended) {
      const auto begin = std::chrono::steady_clock::now();
      check(cudaLaunchHostFunc(
          own, [](void*) {}, nullptr));
      const long took = static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                              std::chrono::steady_clock::now() - begin)
                                              .count());
      if (took > longest) longest = took;
      pause_ms(1);
    }
  });
  pause_ms(50);
  t_slow = 10;
  check(cudaGraphLaunch(step, training.stream));
  t_slow = 0;
  check(cudaStreamSynchronize(training.stream));
  ended = true;
  other.join();
  std::fprintf(stderr, "longest %ld ms\n", longest);
  return longest > 300 ? 6 : 0;
}
