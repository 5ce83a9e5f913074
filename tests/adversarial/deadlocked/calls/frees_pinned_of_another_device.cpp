// cudaFreeHost waits for the device on which the memory was allocated. That is device 2, where this
// rank has a second communicator, whose all-reduce waits for rank 1. Rank 1 waits for this rank's
// next call after the cudaFreeHost.
// Naive view: the call waits for the current device, which is idle.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  const int port = number_from("MASTER_PORT") + 1;
  setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const ncclUniqueId id = exchange_id(rank(), 2);
  check(cudaSetDevice(2 + rank()));
  ncclComm_t there = nullptr;
  check(ncclCommInitRank(&there, 2, id, rank()));
  cudaStream_t stream_there = make_stream();
  float* data_there = device_floats();
  void* staging = nullptr;
  check(cudaMallocHost(&staging, 4096));
  if (rank() == 0) all_reduce(there, stream_there, data_there);
  check(cudaSetDevice(rank()));
  if (rank() == 0) check(cudaFreeHost(staging));
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  check(cudaSetDevice(2 + rank()));
  if (rank() == 1) all_reduce(there, stream_there, data_there);
  check(cudaDeviceSynchronize());
  return 0;
}
