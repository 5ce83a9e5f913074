// A launcher starts the second rank 1.5 s after the first, which waits in ncclCommInitRank; the
// first is joined by a thread that reads the unique id itself.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher =
        "export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))\n"
        "RANK=0 LOCAL_RANK=0 \"$0\" & sleep 1.5; RANK=1 LOCAL_RANK=1 \"$0\" & wait"};

int program(int, char**) {
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, rank()));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 1) pause_ms(300);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
