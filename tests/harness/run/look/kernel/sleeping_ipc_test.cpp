// Sleeps at what processes share by a number or a name: semaphores and message queues.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include <string>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

void expect_woken_by_anybody(const Sleep& sleep) {
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.by_anybody);
  EXPECT_TRUE(sleep.has_name) << "a process outside the job may use it";
}

TEST(SleepingIpc, ASemaphoreOfSystemVIsGivenByAnybody) {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  ASSERT_GE(set, 0);
  sembuf take{.sem_num = 0, .sem_op = -1, .sem_flg = 0};
  const auto look = [&](long number, const timespec* limit) {
    const Child taker([&] { syscall(number, set, &take, 1, limit); });
    const std::vector<JobProcess> job{taker.in_job()};
    return sleep_in(number, job, job[0], taker.pid());
  };
  expect_woken_by_anybody(look(SYS_semop, nullptr));
  expect_woken_by_anybody(look(SYS_semtimedop, nullptr));
  const timespec limit{.tv_sec = 100, .tv_nsec = 0};
  EXPECT_FALSE(look(SYS_semtimedop, &limit).asleep);
  semctl(set, 0, IPC_RMID);
}

TEST(SleepingIpc, AQueueOfSystemVIsFilledByAnybody) {
  const int queue = msgget(IPC_PRIVATE, 0600);
  ASSERT_GE(queue, 0);
  const Child reader([&] {
    struct {
      long type;
      char text[8];
    } message{};
    msgrcv(queue, &message, sizeof message.text, 0, 0);
  });
  const std::vector<JobProcess> job{reader.in_job()};
  expect_woken_by_anybody(sleep_in(SYS_msgrcv, job, job[0], reader.pid()));
  msgctl(queue, IPC_RMID, nullptr);
}

TEST(SleepingIpc, AQueueIsFilledByWhoHasItOpen) {
  const std::string name = "/gridlock_test_" + std::to_string(getpid());
  const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, nullptr);
  if (queue < 0) GTEST_SKIP() << "this kernel has no message queues";
  const Child reader([&] {
    char text[8192];
    mq_receive(queue, text, sizeof text, nullptr);
  });
  const std::vector<JobProcess> with_us{reader.in_job(), itself()};
  const Sleep named = sleep_in(SYS_mq_timedreceive, with_us, with_us[0], reader.pid());
  expect_woken_by_anybody(named);
  mq_unlink(name.c_str());
  const Sleep nameless = Sleepers(with_us).look(with_us[0], reader.pid());
  EXPECT_TRUE(nameless.asleep);
  EXPECT_FALSE(nameless.has_name);
  EXPECT_EQ(wakers(nameless), (Keys{reader.key(), itself().key}));
  const std::vector<JobProcess> without_us{reader.in_job()};
  EXPECT_FALSE(Sleepers(without_us).look(without_us[0], reader.pid()).asleep);
  mq_close(queue);
}

}  // namespace
}  // namespace gridlock::run
