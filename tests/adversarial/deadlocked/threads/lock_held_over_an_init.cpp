// Each rank makes two communicators in two threads, under one lock (as Python's). Rank 0's first
// thread has the lock, and rank 1's second.
// Expected: deadlock; both ranks.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).or_as("deadlock", "init", {0, 1})};

int program(int, char**) {
  const Training training;
  training.step();
  ncclComm_t second = nullptr;
  check(ncclCommSplit(training.world, 0, rank(), &second, nullptr));
  std::mutex lock;
  std::atomic<bool> is_held = false;
  std::atomic<bool> is_wanted = false;
  const auto make = [&](ncclComm_t parent, bool first) {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    if (!first) {
      is_held.wait(false);
      is_wanted = true;
      is_wanted.notify_one();
    }
    const std::scoped_lock held(lock);
    if (first) {
      is_held = true;
      is_held.notify_one();
      is_wanted.wait(false);
      pause_ms(50);  // until the other thread waits for the lock
    }
    ncclComm_t made = nullptr;
    check(ncclCommSplit(parent, 0, rank(), &made, nullptr));
  };
  std::thread of_world(make, training.world, rank() == 0);
  std::thread of_second(make, second, rank() == 1);
  of_world.join();
  of_second.join();
  return 0;
}
