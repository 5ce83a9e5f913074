// A rank ends a phase and starts its next program by exec: the same process, new memory, no exit.
// Rank 0 does so 400 ms before rank 1, and waits for it in the second phase.
// Naive view: the process is alive, but the record of its first phase no longer changes.
// Expected: completes.
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const bool again = argc > 1 && std::strcmp(argv[1], "again") == 0;
  if (again) {
    const std::string port = std::to_string(number_from("MASTER_PORT") + 1);
    setenv("MASTER_PORT", port.c_str(), 1);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 1) pause_ms(400);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (again) return 0;
  check(ncclCommDestroy(world));
  if (rank() == 1) pause_ms(400);
  execl("/proc/self/exe", argv[0], "again", nullptr);
  return 5;
}
