// Each rank runs two processes, each with its own communicator. Rank 0's second process is late,
// and only it can end the wait of rank 1's second process.
// Expected: completes.
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
