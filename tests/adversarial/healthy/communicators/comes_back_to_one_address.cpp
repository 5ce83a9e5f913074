// With NCCL_COMM_ID set, all communicators are made from one address. Rank 1 starts anew (exec)
// after the first one, which rank 0 gives up; then they make the next one, in which rank 0 comes
// late.
// Naive view: a communicator is known by how often this process has joined, and rank 0 has left the
// first one.
// Expected: completes.
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const bool again = argc > 1 && std::strcmp(argv[1], "again") == 0;
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto join = [] {
    ncclUniqueId id;
    ncclComm_t made = nullptr;
    check(ncclGetUniqueId(&id));
    check(ncclCommInitRank(&made, 2, id, rank()));
    return made;
  };
  ncclComm_t world = join();
  if (!again) {
    check(ncclCommAbort(world));
    if (rank() == 1) execl("/proc/self/exe", argv[0], "again", nullptr);
    world = join();
  }
  if (rank() == 0) pause_ms(1000);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
