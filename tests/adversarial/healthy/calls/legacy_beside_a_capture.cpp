// Rank 0 puts an all-reduce on the default stream while one of its other streams, which is not
// ordered with that one, is captured into a graph.
// Naive view: a default stream is captured with the others, so that call goes into the graph.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t captured = make_stream();
  float* data = device_floats();
  float* more = device_floats();
  cudaGraph_t graph = nullptr;
  if (rank() == 0) check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed));
  if (rank() == 1) pause_ms(300);
  all_reduce(world, nullptr, data);
  if (rank() == 0) {
    check(cudaMemsetAsync(more, 0, 4096, captured));
    check(cudaStreamEndCapture(captured, &graph));
  }
  for (int step = 0; step < 3; ++step) {
    if (rank() == step % 2) pause_ms(300);
    check(ncclAllReduce(data, data, 100, ncclInt32, ncclMax, world, nullptr));
    check(cudaStreamSynchronize(nullptr));
    all_reduce(world, captured, more);
    check(cudaStreamSynchronize(captured));
  }
  return 0;
}
