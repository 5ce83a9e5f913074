// A task of rank 0's pool submits another task to the same pool and waits for its future. The
// pool has one thread. The main thread waits for the first task's future, and the other ranks
// for rank 0.
// Naive view: a pool's thread that sleeps at a future may be woken by the pool.
// Expected: deadlock; rank 0 is to blame.
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("self", {0}).or_as("deadlock", "host_stuck", {0}),
                            .ranks = 3};

namespace {
class Pool {
 public:
  Pool() : worker_([this] { work(); }) {}
  std::future<void> submit(std::function<void()> body) {
    std::packaged_task<void()> task(std::move(body));
    std::future<void> done = task.get_future();
    const std::scoped_lock lock(mutex_);
    tasks_.push(std::move(task));
    changed_.notify_one();
    return done;
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop();
      lock.unlock();
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::packaged_task<void()>> tasks_;
  std::thread worker_;
};
}  // namespace

int program(int, char**) {
  const Training training;
  Pool& pool = *new Pool;
  training.step();
  if (rank() == 0) {
    pool.submit([&] { pool.submit([] {}).get(); }).get();
  }
  training.step();
  return 0;
}
