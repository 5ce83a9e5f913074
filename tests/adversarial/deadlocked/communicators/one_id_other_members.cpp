// Several communicators with different members use one NCCL_COMM_ID, as in the healthy program of
// this name. At the end rank 1 leaves out a collective on the last communicator and waits on the
// first.
// Expected: deadlock, rank 1 is missing.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1}), .ranks = 3};

int program(int, char**) {
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto join = [](int size, int as) {
    ncclUniqueId id;
    ncclComm_t made = nullptr;
    check(ncclGetUniqueId(&id));
    check(ncclCommInitRank(&made, size, id, as));
    return made;
  };
  ncclComm_t world = join(3, rank());
  if (rank() != 1) {
    ncclComm_t pair = join(2, rank() / 2);
    all_reduce(pair, stream, data);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  ncclComm_t again = join(3, rank());
  all_reduce(rank() == 1 ? world : again, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
