// Rank 1 computes. A profiler outside the job stops it for a while (as py-spy or gcore do), and
// lets it go on. Rank 0 waits for rank 1. Naive view: a stopped rank never comes. Expected:
// completes.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("pid").c_str(), F_OK) != 0) pause_ms(1);
    int pid = 0;
    std::ifstream(shared_file("pid")) >> pid;
    pause_ms(100);
    kill(pid, SIGSTOP);
    pause_ms(2200);
    return kill(pid, SIGCONT);
  }
  const Training training;
  training.step();
  if (rank() == 1) {
    std::ofstream(shared_file("pid_")) << getpid();
    rename(shared_file("pid_").c_str(), shared_file("pid").c_str());
    const Deadline end = in_ms(400);
    while (!end.is_over()) {
    }
  }
  training.step();
  return 0;
}
