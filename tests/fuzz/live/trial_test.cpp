// How the fuzzer runs a program.
#include "tests/fuzz/live/trial.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>
#include <vector>

namespace gridlock::fuzz {
namespace {

// While it lives, this process and those that it starts share one core with busy threads.
class CrowdedCore {
 public:
  explicit CrowdedCore(int threads) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!ended_) {
        }
      });
    }
  }
  CrowdedCore(const CrowdedCore&) = delete;
  CrowdedCore& operator=(const CrowdedCore&) = delete;
  ~CrowdedCore() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  std::atomic<bool> ended_ = false;
  std::vector<std::thread> threads_;
};

// The worker begins to move long after this patience, because others have the core.
TEST(Trial, AWorkerWithoutACoreIsNotAtItsEnd) {
  constexpr std::chrono::milliseconds kPatience{400};
  constexpr int kPolite = 12;
  const CrowdedCore crowded(2);
  Trial trial;
  std::thread([&] {
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, kPolite), 0);  // of this thread, and of the worker
    trial = run(parse("A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce@0"), kPatience);
  }).join();
  EXPECT_EQ(trial.end, Trial::End::finished) << trial.detail;
}

}  // namespace
}  // namespace gridlock::fuzz
