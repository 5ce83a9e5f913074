// Sleeps at what processes share by a number or a name: semaphores and message queues.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include <array>
#include <ctime>
#include <functional>
#include <string>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

constexpr timespec kHundredSeconds{.tv_sec = 100, .tv_nsec = 0};

// How a child sleeps that does `work` in `call`, seen by a job of it and of `others`.
Sleep sleep_of(long call, const std::function<void()>& work,
               const std::vector<JobProcess>& others = {}) {
  const Child child(work);
  std::vector<JobProcess> job{child.in_job()};
  job.insert(job.end(), others.begin(), others.end());
  return sleep_in(call, job, job[0], child.pid());
}

void expect_woken_by_anybody(const Sleep& sleep, std::size_t holders = 0) {
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.by_anybody);
  EXPECT_TRUE(sleep.has_name) << "a process outside the job may use it";
  EXPECT_EQ(wakers(sleep).size(), holders);
}

class Semaphore {
 public:
  Semaphore() : set_(semget(IPC_PRIVATE, 1, 0600)) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore() { semctl(set_, 0, IPC_RMID); }
  bool exists() const { return set_ >= 0; }
  void add(short count, long call = SYS_semop, const timespec* limit = nullptr) const {
    sembuf operation{.sem_num = 0, .sem_op = count, .sem_flg = 0};
    syscall(call, set_, &operation, 1, limit);
  }

 private:
  int set_;
};

TEST(SleepingIpc, ASemaphoreOfSystemVIsGivenByAnybody) {
  const Semaphore semaphore;
  ASSERT_TRUE(semaphore.exists());
  for (const long call : {SYS_semop, SYS_semtimedop}) {
    expect_woken_by_anybody(sleep_of(call, [&] { semaphore.add(-1, call); }));
  }
  EXPECT_FALSE(sleep_of(SYS_semtimedop, [&] {
                 semaphore.add(-1, SYS_semtimedop, &kHundredSeconds);
               }).asleep);
}

TEST(SleepingIpc, AStrangerThatHasUsedItMayGiveIt) {
  const Semaphore semaphore;
  ASSERT_TRUE(semaphore.exists());
  semaphore.add(1);
  semaphore.add(-1);
  const auto take = [&] { semaphore.add(-1); };
  EXPECT_FALSE(sleep_of(SYS_semop, take).asleep);
  expect_woken_by_anybody(sleep_of(SYS_semop, take, {itself()}));
  // Who was the last may have ended.
  const Child last([&] {
    semaphore.add(1);
    semaphore.add(-1);
  });
  siginfo_t end{};
  waitid(P_PID, static_cast<id_t>(last.pid()), &end, WEXITED | WNOWAIT);
  expect_woken_by_anybody(sleep_of(SYS_semop, take));
}

TEST(SleepingIpc, AQueueOfSystemVIsFilledAndEmptiedByAnybody) {
  struct {
    long type = 1;
    std::array<char, 4096> text{};
  } message;
  const int queue = msgget(IPC_PRIVATE, 0600);
  ASSERT_GE(queue, 0);
  const auto receive = [&] { msgrcv(queue, &message, message.text.size(), 0, 0); };
  const auto fill = [&] {
    while (msgsnd(queue, &message, message.text.size(), 0) == 0) {
    }
  };
  expect_woken_by_anybody(sleep_of(SYS_msgrcv, receive));
  expect_woken_by_anybody(sleep_of(SYS_msgsnd, fill));
  EXPECT_EQ(msgrcv(queue, &message, message.text.size(), 0, 0), ssize_t{4096});
  EXPECT_FALSE(sleep_of(SYS_msgsnd, fill).asleep) << "this test has received from it";
  msgctl(queue, IPC_RMID, nullptr);
}

TEST(SleepingIpc, AQueueIsFilledByWhoHasItOpen) {
  const std::string name = "/gridlock_test_" + std::to_string(getpid());
  mq_attr small{};
  small.mq_maxmsg = 1;
  small.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, &small);
  if (queue < 0) GTEST_SKIP() << "this kernel has no message queues";
  std::array<char, 8> text{};
  const auto receive = [&] { mq_receive(queue, text.data(), text.size(), nullptr); };
  const auto fill = [&] {
    while (mq_send(queue, text.data(), 1, 0) == 0) {
    }
  };
  expect_woken_by_anybody(sleep_of(SYS_mq_timedreceive, receive, {itself()}), 2);
  EXPECT_FALSE(sleep_of(SYS_mq_timedreceive, receive).asleep) << "this test does not belong to it";
  EXPECT_FALSE(sleep_of(SYS_mq_timedreceive,
                        [&] {
                          const timespec limit{.tv_sec = time(nullptr) + 100, .tv_nsec = 0};
                          mq_timedreceive(queue, text.data(), text.size(), nullptr, &limit);
                        },
                        {itself()})
                   .asleep);
  // A job in which only the sleeper has it open.
  EXPECT_FALSE(sleep_of(SYS_mq_timedreceive,
                        [&] {
                          const mqd_t own =
                              mq_open((name + "x").c_str(), O_CREAT | O_RDWR, 0600, &small);
                          mq_receive(own, text.data(), text.size(), nullptr);
                        },
                        {itself()})
                   .asleep)
      << "somebody may open it for each message";
  mq_unlink((name + "x").c_str());
  mq_unlink(name.c_str());
  for (const Sleep& nameless : {sleep_of(SYS_mq_timedreceive, receive, {itself()}),
                                sleep_of(SYS_mq_timedsend, fill, {itself()})}) {
    EXPECT_TRUE(nameless.asleep);
    EXPECT_FALSE(nameless.has_name);
    EXPECT_EQ(wakers(nameless).size(), 2U);
  }
  mq_close(queue);
}

}  // namespace
}  // namespace gridlock::run
