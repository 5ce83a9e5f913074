// The scheduler (here a process outside the job) warns the job by SIGUSR1. The handler aborts, and
// the job goes on without the rank that did not come.
// Naive view: nobody in the job is left to act.
// Expected: completes.
#include <csignal>
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

namespace {
ncclComm_t to_abort = nullptr;
}

int program(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "outsider") == 0) {
    std::FILE* in = nullptr;
    while ((in = std::fopen(shared_file("pid").c_str(), "r")) == nullptr) pause_ms(1);
    int pid = 0;
    pause_ms(500);
    if (std::fscanf(in, "%d", &pid) == 1) kill(pid, SIGUSR1);
    return 0;
  }
  Two two;
  to_abort = two.first;
  if (rank() == 0) {
    std::signal(SIGUSR1, [](int) { ncclCommAbort(to_abort); });
    std::FILE* out = std::fopen(shared_file("pid").c_str(), "w");
    std::fprintf(out, "%d", getpid());
    std::fclose(out);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
