// Rank 0 has a thread with a real-time priority (as for a camera or a robot) beside an ordinary
// one, on one core. Both put host functions on streams of their own. The real-time thread must
// never be late by more than 0.3 s.
// Naive view: a spinlock is held for so short a time that nobody notices.
// Expected: completes.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const cudaStream_t streams[2] = {make_stream(), make_stream()};
    for (cudaStream_t stream : streams) {
      check(cudaLaunchHostFunc(
          stream, [](void*) {}, nullptr));
    }
    const auto stay_on_one_core = [] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(0, &one);
      return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
    };
    std::atomic<bool> ended = false;
    std::atomic<long> longest = 0;
    std::thread ordinary([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      stay_on_one_core();
      while (!ended) {
        for (int i = 0; i < 64; ++i) {
          check(cudaLaunchHostFunc(
              streams[0], [](void*) {}, nullptr));
        }
        check(cudaStreamSynchronize(streams[0]));
      }
    });
    std::thread realtime([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      const sched_param first{.sched_priority = 1};
      if (!stay_on_one_core() ||
          pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0) {
        std::fputs("no real-time priority here\n", stderr);
        return;
      }
      const Deadline end = in_ms(3000);
      while (!end.is_over()) {
        usleep(150);
        const auto begin = std::chrono::steady_clock::now();
        check(cudaLaunchHostFunc(
            streams[1], [](void*) {}, nullptr));
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begin);
        longest = std::max<long>(longest, took.count());
      }
    });
    realtime.join();
    ended = true;
    ordinary.join();
    std::fprintf(stderr, "longest call of the real-time thread: %ld ms\n", longest.load());
    if (longest > 300) return 6;
  }
  training.step();
  return 0;
}
