// Rank 0's group has an all-reduce of ranks 0 and 1 that is captured into a graph, and the first
// one of ranks 0 and 2, for which rank 0 waits until rank 2 comes. Meanwhile rank 1 waits for the
// next all-reduce that ranks 0 and 1 run, which has another size.
// Naive view: what rank 0 has announced is its next call for rank 1, and does not match.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{
    .expect = completes(),
    .ranks = 3,
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"}};

int program(int, char**) {
  const ncclComm_t world = join_world();
  ncclComm_t first = nullptr;   // ranks 0 and 1
  ncclComm_t second = nullptr;  // ranks 0 and 2
  check(ncclCommSplit(world, rank() < 2 ? 0 : NCCL_SPLIT_NOCOLOR, rank(), &first, nullptr));
  check(ncclCommSplit(world, rank() != 1 ? 0 : NCCL_SPLIT_NOCOLOR, rank(), &second, nullptr));
  const cudaStream_t on_first = make_stream();
  const cudaStream_t on_second = make_stream();
  float* x = device_floats();
  float* y = device_floats();
  if (first != nullptr) all_reduce(first, on_first, x);
  check(cudaStreamSynchronize(on_first));
  if (rank() == 0) {
    const cudaGraphExec_t graph = captured(on_first, [&] {
      check(ncclGroupStart());
      all_reduce(first, on_first, x, 512);
      all_reduce(second, on_second, y);
      check(ncclGroupEnd());
    });
    all_reduce(first, on_first, x, 1024);
    check(cudaGraphLaunch(graph, on_first));
  } else if (rank() == 1) {
    all_reduce(first, on_first, x, 1024);
    check(cudaStreamSynchronize(on_first));
    all_reduce(first, on_first, x, 512);
  } else {
    pause_ms(2000);
    all_reduce(second, on_second, y);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
