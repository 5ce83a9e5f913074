// Each rank first starts a helper program that looks at its device and keeps running (a metrics
// exporter). The rank's own process uses CUDA later.
// Naive view: the first process to use CUDA owns the rank's record, so the verdict describes the
// helper.
// Expected: completes.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "helper") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    check(cudaSetDevice(4 + rank()));
    check(cudaDeviceSynchronize());
    std::fclose(std::fopen(shared_file("up" + std::to_string(rank())).c_str(), "w"));
    pause();
  }
  const pid_t helper = fork();
  if (helper == 0) {
    execl("/proc/self/exe", argv[0], "helper", nullptr);
    _exit(5);
  }
  while (access(shared_file("up" + std::to_string(rank())).c_str(), F_OK) != 0) pause_ms(1);
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (step % 2 == rank()) pause_ms(200);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  kill(helper, SIGKILL);
  waitpid(helper, nullptr, 0);
  return 0;
}
