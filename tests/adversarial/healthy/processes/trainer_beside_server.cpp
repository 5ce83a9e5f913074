// Each rank is two processes, a trainer and a server, each with a communicator of its own kind. On
// rank 0 the trainer comes first, on rank 1 the server; the other two load their data for a while.
// Naive view: all launched ranks wait in ncclCommInitRank, so nobody is left to come.
// Expected: completes.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const pid_t child = fork();
  const bool serves = child == 0;
  const bool is_late = serves == (rank() == 0);
  if (serves) {
    const std::string port = std::to_string(number_from("MASTER_PORT") + 1);
    setenv("MASTER_PORT", port.c_str(), 1);
  }
  const ncclUniqueId id = exchange_id(rank(), ranks());
  if (is_late) pause_ms(1500);
  check(cudaSetDevice(serves ? 2 + rank() : rank()));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, rank()));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (serves) _exit(0);
  waitpid(child, nullptr, 0);
  return 0;
}
