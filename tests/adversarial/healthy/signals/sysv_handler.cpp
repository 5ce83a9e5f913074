// Rank 0 waits for a collective that rank 1 does not make. Its own alarm rings. The handler is one
// of sysv_signal: the kernel restores the default first, and does not block the signal. It takes a
// second, and aborts the communicator.
// Naive view: no signal is handled or blocked, so no handler can be running in the wait.
// Expected: completes.
#include <sys/time.h>

#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static ncclComm_t child = nullptr;

int program(int, char**) {
  const Training training;
  check(ncclCommSplit(training.world, 0, rank(), &child, nullptr));
  training.step();
  if (rank() == 0) {
    sysv_signal(SIGALRM, [](int) {
      pause_ms(1000);
      ncclCommAbort(child);
    });
    const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    all_reduce(child, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
  }
  training.step();
  return 0;
}
