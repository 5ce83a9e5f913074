// Rank 1's thread for checkpoints sleeps for 2.5 s and then makes its first recorded call, for
// which rank 0 waits. While it sleeps, a profiler stops the rank for a moment, as py-spy and gdb
// do. Only then does rank 1's main thread begin to wait. The thread sleeps on in restart_syscall,
// which shows no time limit. Naive view: a thread that was silent so far stays silent; so both
// ranks wait for each other. Expected: completes.
#include <csignal>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    two.be_told(1);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  std::thread checkpoints([&] {
    pause_ms(2500);
    check(cudaSetDevice(1));
    two.tell();
  });
  pause_ms(50);
  wait_for(start_helper([] {
    kill(getppid(), SIGSTOP);
    pause_ms(50);
    kill(getppid(), SIGCONT);
  }));
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  checkpoints.join();
  return 0;
}
