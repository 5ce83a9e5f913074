// With NCCL_COMM_ID set, rank 0 gives up a non-blocking init because rank 1 is late, and tries
// again later. Rank 1 comes between the two, and waits.
// Naive view: rank 0's init has failed, so rank 1 waits for nobody.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  ncclComm_t world = nullptr;
  if (rank() == 0) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const ncclResult_t begun = ncclCommInitRankConfig(&world, 2, id, 0, &config);
    if (begun != ncclInProgress && begun != ncclSuccess) return 5;
    pause_ms(100);
    check(ncclCommAbort(world));
    pause_ms(1500);
  } else {
    pause_ms(300);
  }
  check(ncclCommInitRank(&world, 2, id, rank()));
  if (rank() == 0) pause_ms(500);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
