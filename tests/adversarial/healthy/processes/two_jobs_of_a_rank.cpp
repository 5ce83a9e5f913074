// Each rank runs two processes that train side by side on communicators of their own; the second
// one's is late. Rank 0's second process is all that can end what rank 1's second one waits for.
// Must be said: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string port = std::to_string(number_from("MASTER_PORT") + 1);
    setenv("MASTER_PORT", port.c_str(), 1);
    setenv("LOCAL_RANK", std::to_string(2 + rank()).c_str(), 1);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (child == 0 ? rank() == 0 : rank() == 1) pause_ms(300);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return 0;
}
