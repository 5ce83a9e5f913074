// After 400 ms, a signal handler (for a timer that the process has set) aborts the communicator,
// and the waiting thread goes on. There is no other thread.
// Naive view: nobody is left to act.
// Expected: completes.
#include <sys/time.h>

#include <csignal>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {
ncclComm_t to_abort = nullptr;
}

int program(int, char**) {
  Two two;
  to_abort = two.first;
  if (rank() == 0) {
    std::signal(SIGALRM, [](int) { ncclCommAbort(to_abort); });
    const itimerval when{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 400'000}};
    setitimer(ITIMER_REAL, &when, nullptr);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
