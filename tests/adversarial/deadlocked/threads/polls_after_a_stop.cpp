// Rank 0 waits for a byte that its own second thread writes into a pipe after an all-reduce, for
// which rank 1 waits for rank 0's main thread. A profiler stops rank 0 for a moment while it waits
// (in poll, without a limit).
// Naive view: after a stop, the kernel shows another system call, of which nothing is known.
// Expected: deadlock; a cycle of both.
#include <poll.h>

#include <csignal>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  const Pipe done;
  std::thread second([&] {
    check(cudaSetDevice(0));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    if (write(done.writing(), "x", 1) != 1) std::_Exit(5);
  });
  start_helper([] {
    pause_ms(20);
    kill(getppid(), SIGSTOP);
    pause_ms(20);
    kill(getppid(), SIGCONT);
  });
  pollfd one{.fd = done.reading(), .events = POLLIN, .revents = 0};
  poll(&one, 1, -1);
  two.tell();
  second.join();
  return 0;
}
