// Threads that sleep at a futex of their own process: conditions, mutexes, joins.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

[[noreturn]] void wait_for_ever(std::condition_variable& condition) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  while (true) condition.wait(lock);
}

bool has_thread(pid_t pid, std::int64_t tid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
  return access(path.c_str(), F_OK) == 0;
}

TEST(SleepingFutex, AFutexOfItsOwnIsWokenByItsOwnProcess) {
  Child child([] {
    std::condition_variable condition;
    wait_for_ever(condition);
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_futex, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), Keys{child.key()});
  EXPECT_EQ(sleep_in(SYS_futex, job, job[0], child.pid()).switches, sleep.switches)
      << "it slept all the time";
  EXPECT_EQ(sleep.joins, 0);
  EXPECT_EQ(sleep.held_by, 0);
}

// It sleeps as who joins a thread does, but at a number that is no thread's.
TEST(SleepingFutex, AFutureJoinsNobody) {
  Child child([] {
    std::promise<void> promise;
    promise.get_future().wait();
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_futex, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(sleep.joins, 0);
}

TEST(SleepingFutex, AMutexIsHeldByAThread) {
  Child child([] {
    std::mutex mutex;
    std::atomic<bool> locked(false);
    std::thread holder([&] {
      mutex.lock();
      locked = true;
      pause();
    });
    // A latch would sleep at a futex too, and then wake.
    while (!locked) std::this_thread::yield();
    mutex.lock();
  });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_futex, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(has_thread(child.pid(), sleep.held_by));
  EXPECT_NE(sleep.held_by, child.pid());
}

TEST(SleepingFutex, AMutexThatItHoldsItselfIsHeldByIt) {
  Child child([] {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, nullptr);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
  });
  const std::vector<JobProcess> job{child.in_job()};
  EXPECT_EQ(sleep_in(SYS_futex, job, job[0], child.pid()).held_by, child.pid());
}

TEST(SleepingFutex, AThreadThatIsJoinedIsOfTheSameProcess) {
  Child child([] { std::thread([] { pause(); }).join(); });
  const std::vector<JobProcess> job{child.in_job()};
  const Sleep sleep = sleep_in(SYS_futex, job, job[0], child.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), Keys{child.key()});
  EXPECT_NE(sleep.joins, 0);
  EXPECT_TRUE(has_thread(child.pid(), sleep.joins));
  EXPECT_NE(sleep.joins, child.pid());
}

}  // namespace
}  // namespace gridlock::run
