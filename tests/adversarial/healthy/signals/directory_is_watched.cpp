// Rank 0 waits for a signal (sigwaitinfo) that the kernel sends when a file appears in a directory
// (F_NOTIFY, F_SETSIG): the scheduler's notice of preemption. A process outside the job writes it.
// Naive view: no descriptor has O_ASYNC, so only a process sends that signal.
// Expected: completes.
#include <fcntl.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong, .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("waits").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(3000);
    std::ofstream(shared_file("notice")) << "preempted";
    return 0;
  }
  const int wanted = SIGRTMIN + 4;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, wanted);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const Training training;
  training.step();
  if (rank() == 0) {
    std::ofstream(shared_file("waits")) << "yes";
    const int folder = open(shared_file("").c_str(), O_RDONLY | O_DIRECTORY);
    if (fcntl(folder, F_SETSIG, wanted) != 0) return 5;
    if (fcntl(folder, F_NOTIFY, DN_CREATE) != 0) return 6;
    siginfo_t info{};
    if (sigwaitinfo(&set, &info) != wanted) return 7;
  }
  training.step();
  return 0;
}
