// With NCCL_COMM_ID set, all communicators are made from one address: first one of all three ranks,
// then one of ranks 0 and 2, then all three again.
// Naive view: a communicator is known by how often this rank has joined, which differs between
// ranks.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

namespace {
ncclComm_t join(int size, int as) {
  ncclUniqueId id;
  ncclComm_t made = nullptr;
  check(ncclGetUniqueId(&id));
  check(ncclCommInitRank(&made, size, id, as));
  return made;
}
}  // namespace

int program(int, char**) {
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t world = join(3, rank());
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() != 1) {
    ncclComm_t pair = join(2, rank() / 2);
    if (rank() == 2) pause_ms(150);
    all_reduce(pair, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  all_reduce(world, stream,
             data);  // rank 1 must not come to the address while the pair meets there
  check(cudaStreamSynchronize(stream));
  ncclComm_t again = join(3, rank());
  if (rank() == 1) pause_ms(300);
  all_reduce(again, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
