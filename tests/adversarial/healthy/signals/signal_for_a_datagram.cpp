// Rank 0 waits for a signal (sigwaitinfo) that the kernel sends when a datagram comes (O_ASYNC,
// F_SETSIG). One comes from outside the job a while later.
// Naive view: only processes of the job send it that signal.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/datagram.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) return send_datagram(2000);
  const int wanted = SIGRTMIN + 3;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, wanted);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const Training training;
  training.step();
  if (rank() == 0) {
    SignallingSocket(wanted).announce();
    siginfo_t info{};
    if (sigwaitinfo(&set, &info) != wanted) return 5;
  }
  training.step();
  return 0;
}
