// A thread waits in sigwait() for the scheduler's warning, as in frameworks. An alarm that the
// process itself has set brings the signal after 500 ms, and the thread makes the missing call.
// Naive view: nobody sends a signal.
// Expected: completes.
#include <sys/time.h>

#include <csignal>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, nullptr);
  Two two;
  std::thread handler([&] {
    int signal = 0;
    if (rank() == 0) sigwait(&alarms, &signal);
    check(cudaSetDevice(rank()));
    all_reduce(two.first, two.on_first, two.x);
  });
  if (rank() == 0) {
    const itimerval when{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 500'000}};
    setitimer(ITIMER_REAL, &when, nullptr);
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    handler.join();
  } else {
    handler.join();
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
