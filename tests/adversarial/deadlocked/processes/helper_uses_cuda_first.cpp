// Each rank first starts a helper program that looks at its device and keeps running (a metrics
// exporter). Then the ranks themselves cross two communicators.
// Naive view: the helper owns the rank's record, so the verdict describes the helper.
// Expected: deadlock; a cycle of both.
#include <sys/prctl.h>

#include <csignal>
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int argc, char** argv) {
  const std::string up = shared_file("up" + std::to_string(rank()));
  if (argc > 1 && std::strcmp(argv[1], "helper") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    check(cudaSetDevice(4 + rank()));
    check(cudaDeviceSynchronize());
    std::fclose(std::fopen(up.c_str(), "w"));
    pause();
  }
  if (fork() == 0) {
    execl("/proc/self/exe", argv[0], "helper", nullptr);
    _exit(5);
  }
  while (access(up.c_str(), F_OK) != 0) pause_ms(1);
  Two two;
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
