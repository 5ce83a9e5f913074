// Four workers take turns at a collective between two barriers (std::barrier and
// pthread_barrier_t), and end at a latch. Meanwhile the main thread waits for a future of a thread
// that makes another collective. Each rank is late at times.
// Naive view: a thread that sleeps at a barrier is dead like the others.
// Expected: completes.
#include <pthread.h>

#include <barrier>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  constexpr int kWorkers = 4;
  constexpr int kSteps = 6;
  Two two;
  std::barrier begin(kWorkers + 1);
  std::latch all(kWorkers);
  pthread_barrier_t end;
  pthread_barrier_init(&end, nullptr, kWorkers);
  std::vector<std::thread> workers;
  workers.reserve(kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&, i] {
      check(cudaSetDevice(rank()));
      check(cudaStreamSynchronize(nullptr));  // recorded from now on
      for (int step = 0; step < kSteps; ++step) {
        begin.arrive_and_wait();
        if (step % kWorkers == i) {
          if (rank() == step % 2) pause_ms(150);
          all_reduce(two.first, two.on_first, two.x);
          check(cudaStreamSynchronize(two.on_first));
        }
        pthread_barrier_wait(&end);
      }
      all.count_down();
    });
  }
  for (int step = 0; step < kSteps; ++step) {
    begin.arrive_and_wait();
    std::async(std::launch::async, [&] {
      check(cudaSetDevice(rank()));
      if (rank() == 1) pause_ms(100);
      all_reduce(two.second, two.on_second, two.y);
      check(cudaStreamSynchronize(two.on_second));
    }).get();
  }
  all.wait();
  for (std::thread& worker : workers) worker.join();
  return 0;
}
