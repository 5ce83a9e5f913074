// Rank 0's main thread waits for USR1 by sigwait. The scheduler, outside the job, sends it a while
// later.
// Naive view: no process of the job can send the signal.
// Expected: completes; or else a proof that names the assumption that no signal comes from outside.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  const std::string name = shared_file("pid");
  if (argc > 1) {
    while (access(name.c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(600);
    pid_t pid = 0;
    std::ifstream(name) >> pid;
    kill(pid, SIGUSR1);
    return 0;
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const Training training;
  training.step();
  if (rank() == 0) {
    std::ofstream(name + "_") << getpid();
    rename((name + "_").c_str(), name.c_str());
    int which = 0;
    if (sigwait(&set, &which) != 0) return 5;
  }
  training.step();
  return 0;
}
