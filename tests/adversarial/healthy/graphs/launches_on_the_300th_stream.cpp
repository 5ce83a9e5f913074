// Rank 0 has a pool of 300 streams, more than the record has room for. It launches a captured
// all-reduce twice on the last one. Then it destroys the pool, and both ranks go on with other
// calls on the same communicator. Naive view: a launch on a stream without an entry takes no slots,
// and the record is whole again when the streams are gone. Expected: completes.
#include <vector>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  std::vector<cudaStream_t> pool;
  while (rank() == 0 && pool.size() < 300) pool.push_back(make_stream());
  cudaGraphExec_t step =
      captured(two.on_first, [&] { all_reduce(two.first, two.on_first, two.x); });
  cudaStream_t stream = rank() == 0 ? pool.back() : two.on_first;
  check(cudaGraphLaunch(step, stream));
  check(cudaGraphLaunch(step, stream));
  check(cudaStreamSynchronize(stream));
  for (cudaStream_t one : pool) check(cudaStreamDestroy(one));
  for (int i = 0; i < 6; ++i) {
    if (rank() == i % 2) pause_ms(150);
    check(ncclBroadcast(two.x, two.x, 32U + i, ncclFloat, i % 2, two.first, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
