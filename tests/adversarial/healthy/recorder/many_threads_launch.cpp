// 600 threads of a rank are alive. Each has made a call, and then 4 of the last ones launch.
// Naive view: a thread without an entry in a table may look for one at each call.
// Expected: completes; the launches take as long as without the recorder.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
std::atomic<int> g_ready = 0;
std::atomic<bool> g_go = false;
std::atomic<long> g_us = 0;
std::mutex g_mutex;
std::condition_variable g_changed;
bool g_ended = false;

void* live(void* number) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  const cudaStream_t stream =
      reinterpret_cast<std::intptr_t>(number) > 595 ? make_stream() : nullptr;
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  if (stream != nullptr) {
    check(cudaStreamSynchronize(stream));
  } else {
    check(cudaEventSynchronize(event));
  }
  ++g_ready;
  if (stream != nullptr) {
    while (!g_go) pause_ms(1);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 20000; ++i) {
      check(cudaLaunchHostFunc(
          stream, [](void*) {}, nullptr));
    }
    check(cudaStreamSynchronize(stream));
    g_us += std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                  begin)
                .count();
  }
  std::unique_lock lock(g_mutex);
  g_changed.wait(lock, [] { return g_ended; });
  return nullptr;
}
}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    std::vector<pthread_t> threads(600);
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (pthread_create(&threads[i], &small, live, reinterpret_cast<void*>(i)) != 0) return 5;
      while (g_ready <= static_cast<int>(i)) sched_yield();
    }
    g_go = true;
    while (g_us == 0) pause_ms(10);
    {
      const std::scoped_lock lock(g_mutex);
      g_ended = true;
    }
    g_changed.notify_all();
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    std::fprintf(stderr, "%ld ns a launch\n", g_us * 1000 / 4 / 20000);
  }
  training.step();
  return 0;
}
