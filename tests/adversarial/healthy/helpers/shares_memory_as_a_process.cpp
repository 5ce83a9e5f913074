// Rank 0 waits on a futex. A process that was cloned with the rank's memory, and is no thread of
// it, wakes it.
// Naive view: a private futex can only be woken by a thread of its own process.
// Expected: completes.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#include <atomic>
#include <ctime>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static std::atomic<int> word = 0;
alignas(64) static char stack[1 << 16];

// Calls the kernel itself: the C library is not made for a second process in its memory.
static int wake(void*) {
  const timespec time{.tv_sec = 1, .tv_nsec = 0};
  syscall(SYS_nanosleep, &time, nullptr);
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  return 0;
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t clone_of_it = clone(wake, stack + sizeof stack, CLONE_VM | SIGCHLD, nullptr);
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    wait_for(clone_of_it);
  }
  training.step();
  return 0;
}
