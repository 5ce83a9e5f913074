// Rank 0 waits for its helper's byte in a pipe. The helper sleeps at another pipe, that rank 0
// writes to, and handles USR1 by writing the byte. The scheduler (outside the job) sends it.
// Naive view: only rank 0 could wake the helper.
// Expected: completes.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/answering_helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong, .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("pid").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2500);
    int pid = 0;
    std::ifstream(shared_file("pid")) >> pid;
    return kill(pid, SIGUSR1);
  }
  wait_for_an_answering_helper(SIGUSR1, [] {
    std::ofstream(shared_file("pid_")) << getpid();
    rename(shared_file("pid_").c_str(), shared_file("pid").c_str());
  });
  return 0;
}
