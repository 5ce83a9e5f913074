// Rank 0 captures a blocking stream of its first device. Meanwhile it calls an all-reduce of a
// communicator on its second device, on stream 0. NCCL means that device's default stream, with
// which the capture has nothing to do.
// Naive view: stream 0 is the current device's, about which CUDA refuses to tell, so it is
// captured.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  const int port = number_from("MASTER_PORT") + 1;
  setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
  cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  const ncclUniqueId id = exchange_id(rank(), 2);
  check(cudaSetDevice(2 + rank()));
  ncclComm_t there = nullptr;
  check(ncclCommInitRank(&there, 2, id, rank()));
  float* data_there = device_floats();
  check(cudaSetDevice(rank()));
  if (rank() == 0) check(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  all_reduce(there, nullptr, data_there);
  cudaGraph_t graph = nullptr;
  if (rank() == 0) check(cudaStreamEndCapture(blocking, &graph));
  for (int i = 0; i < 4; ++i) {
    if (rank() == i % 2) pause_ms(200);
    check(ncclBroadcast(data_there, data_there, 32U + static_cast<unsigned>(i), ncclFloat, i % 2,
                        there, nullptr));
    check(cudaSetDevice(2 + rank()));
    check(cudaStreamSynchronize(nullptr));
    check(cudaSetDevice(rank()));
    all_reduce(world, blocking, data);
    check(cudaStreamSynchronize(blocking));
  }
  return 0;
}
