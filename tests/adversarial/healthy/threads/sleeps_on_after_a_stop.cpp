// Rank 1's thread for checkpoints sleeps for 2.5 s and then makes its first recorded call, for
// which rank 0 waits. Shortly after it fell asleep, a profiler stops the rank for a moment, as
// py-spy and gdb do. The thread sleeps on, now in another system call (restart_syscall). Naive
// view: a thread that was silent so far stays silent; so both ranks wait for each other. Expected:
// completes.
#include <csignal>

#include "tests/adversarial/setup/first_call.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    const pid_t profiler = start_helper([] {
      pause_ms(300);
      kill(getppid(), SIGSTOP);
      pause_ms(100);
      kill(getppid(), SIGCONT);
    });
    pause_ms(2500);
    wait_for(profiler);
  });
}
