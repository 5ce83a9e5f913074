// Rank 0 waits at a futex of its own. A process that shares its memory (CLONE_VM) has lost its
// first thread, and another of its threads wakes the rank a second later.
// Naive view: only the rank's own threads can, and none of them will.
// Expected: completes.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

std::atomic<int> word = 0;
alignas(64) std::array<std::byte, 65536> first_stack;
alignas(64) std::array<std::byte, 65536> second_stack;

// Neither thread is known to the C library, so both make system calls alone.
int wake(void*) {
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  syscall(SYS_nanosleep, &second, nullptr);
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  syscall(SYS_exit_group, 0);
  return 0;
}
int leave(void*) {
  clone(wake, second_stack.data() + second_stack.size(),
        CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES, nullptr);
  syscall(SYS_exit, 0);
  return 0;
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t helper =
        clone(leave, first_stack.data() + first_stack.size(), CLONE_VM | SIGCHLD, nullptr);
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    wait_for(helper);
  }
  training.step();
  return 0;
}
