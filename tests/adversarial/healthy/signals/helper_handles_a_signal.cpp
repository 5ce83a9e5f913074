// Rank 0 waits for its helper's byte in a pipe. The helper sleeps at another pipe, that rank 0
// writes to, and handles USR1 by writing the byte. The scheduler (outside the job) sends it.
// Naive view: only rank 0 could wake the helper.
// Expected: completes.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong, .outsider = true};

static int g_to_rank = -1;

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("pid").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2500);
    int pid = 0;
    std::ifstream(shared_file("pid")) >> pid;
    return kill(pid, SIGUSR1);
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe orders;
    const Pipe answers;
    const pid_t helper = start_helper([&] {
      g_to_rank = answers.writing();
      struct sigaction action {};
      action.sa_handler = [](int) { (void)!write(g_to_rank, "x", 1); };
      action.sa_flags = SA_RESTART;
      sigaction(SIGUSR1, &action, nullptr);
      std::ofstream(shared_file("pid_")) << getpid();
      rename(shared_file("pid_").c_str(), shared_file("pid").c_str());
      char order = 0;
      if (read(orders.reading(), &order, 1) != 1) _exit(5);
    });
    char answer = 0;
    if (read(answers.reading(), &answer, 1) != 1) return 5;
    if (write(orders.writing(), "x", 1) != 1) return 6;
    wait_for(helper);
  }
  training.step();
  return 0;
}
