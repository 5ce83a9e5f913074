// Two threads of rank 0's read the same cache (pthread_rwlock). Each wants to write what it
// misses and gives back its own reading lock only afterwards, so each waits for the other. The
// main thread waits for the batch; rank 1 waits in a collective.
// Expected: deadlock; rank 0 is to blame.
#include <pthread.h>

#include <barrier>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  const Training training;
  training.step();
  static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER;
  static pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;
  std::mutex mutex;
  std::condition_variable ready;
  int batches = 0;
  std::barrier both(2);
  const auto load = [&](pthread_rwlock_t* own, pthread_rwlock_t* other) {
    pthread_rwlock_rdlock(own);
    both.arrive_and_wait();
    pthread_rwlock_wrlock(other);
    const std::scoped_lock lock(mutex);
    ++batches;
    ready.notify_one();
  };
  std::thread one;
  std::thread two;
  if (rank() == 0) {
    one = std::thread(load, &first, &second);
    two = std::thread(load, &second, &first);
    std::unique_lock lock(mutex);
    ready.wait(lock, [&] { return batches == 2; });
  }
  training.step();
  if (one.joinable()) one.join();
  if (two.joinable()) two.join();
  return 0;
}
