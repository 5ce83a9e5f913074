// A job at rest about which nothing can be proven: its agent goes on looking at its threads.
//
//   gridlock watch -n 16 -- benchmark_resting_job THREADS SECONDS
//
// Every rank has THREADS threads, recorded ones, that sleep on a condition variable. Rank 0 sleeps
// with a time limit of SECONDS, and then makes the call that the others wait for. Rank 0 says on
// stdout when all have come to rest: "at rest for SECONDS s under process AGENT".
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/check.h"
#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {
namespace {

constexpr std::chrono::milliseconds kUntilRest{500};

// Threads that have used CUDA and then sleep until the object's end.
class Sleepers {
 public:
  Sleepers(int count, const Rank& rank) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &rank] {
        check(cudaStreamSynchronize(rank.stream()));
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_; });
      });
    }
  }
  Sleepers(const Sleepers&) = delete;
  Sleepers& operator=(const Sleepers&) = delete;
  ~Sleepers() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

void sleep_for(std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, time, [] { return false; });
}

void run(int threads, int seconds) {
  Rank rank(read_environment());
  const ncclComm_t world = open_communicator(rank, "world");
  const Buffer<float> data(1, rank.stream());
  {
    const Sleepers sleepers(threads, rank);
    rank.rendezvous().exchange("");
    if (rank.rank() == 0) {
      sleep_for(kUntilRest);
      std::printf("at rest for %d s under process %d\n", seconds, getppid());
      std::fflush(stdout);
      sleep_for(std::chrono::seconds(seconds));
    }
    check(ncclAllReduce(data.data(), data.data(), 1, ncclFloat, ncclSum, world, rank.stream()));
    check(cudaStreamSynchronize(rank.stream()));
  }
  close_communicator(world);
}

}  // namespace
}  // namespace gridlock

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::invalid_argument("usage: benchmark_resting_job THREADS SECONDS");
    gridlock::run(std::atoi(argv[1]), std::atoi(argv[2]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "resting_job: %s\n", error.what());
    return 3;
  }
}
