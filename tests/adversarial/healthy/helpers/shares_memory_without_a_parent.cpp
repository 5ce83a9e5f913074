// Rank 0 waits on a private futex. A process with the rank's memory, whose parent has ended, wakes
// it a second later.
// Naive view: none of the rank's children shares its memory.
// Expected: completes.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#include <atomic>
#include <ctime>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static std::atomic<int> word = 0;
alignas(64) static char stacks[2][1 << 16];

// These call the kernel themselves: the C library is not made for other processes in its memory.
static int wake(void*) {
  const timespec time{.tv_sec = 1, .tv_nsec = 0};
  syscall(SYS_nanosleep, &time, nullptr);
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  return 0;
}
static int start_waker(void*) {
  clone(wake, stacks[1] + sizeof stacks[1], CLONE_VM, nullptr);
  return 0;
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    wait_for(clone(start_waker, stacks[0] + sizeof stacks[0], CLONE_VM | SIGCHLD, nullptr));
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
  training.step();
  return 0;
}
