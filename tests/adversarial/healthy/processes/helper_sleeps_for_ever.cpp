// Each rank first starts a helper program that looks at its device, and then sleeps on a condition
// that nobody signals. The rank's own process uses CUDA a second later.
// Naive view: the rank's record is the helper's, and nobody can wake it.
// Expected: completes.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "helper") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    check(cudaSetDevice(4 + rank()));
    check(cudaDeviceSynchronize());
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (true) never.wait(lock);
  }
  const pid_t helper = fork();
  if (helper == 0) {
    execl("/proc/self/exe", argv[0], "helper", nullptr);
    _exit(5);
  }
  const Deadline loaded = in_ms(1000);
  while (!loaded.is_over()) pause_ms(1);
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  kill(helper, SIGKILL);
  waitpid(helper, nullptr, 0);
  return 0;
}
