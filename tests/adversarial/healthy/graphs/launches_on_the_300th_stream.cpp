// Rank 0 has a pool of 300 streams, more than the record has room for. It captures an all-reduce on
// the last one, and another on a stream that has an entry, and launches both on the last one. Then
// it destroys the pool, and both ranks go on with other calls on the same communicator.
// Naive view: a captured call whose stream has no entry was launched at its capture; a graph on
// such a stream takes no slots; and the record is whole again when the streams are gone. Expected:
// completes.
#include <vector>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  std::vector<cudaStream_t> pool;
  while (rank() == 0 && pool.size() < 300) pool.push_back(make_stream());
  cudaStream_t last = rank() == 0 ? pool.back() : two.on_first;
  for (cudaStream_t stream : {last, two.on_first}) {
    cudaGraphExec_t step = captured(stream, [&] { all_reduce(two.first, stream, two.x); });
    check(cudaGraphLaunch(step, last));
    check(cudaGraphLaunch(step, last));
  }
  check(cudaStreamSynchronize(last));
  for (cudaStream_t one : pool) check(cudaStreamDestroy(one));
  for (int i = 0; i < 6; ++i) {
    if (rank() == i % 2) pause_ms(150);
    check(ncclBroadcast(two.x, two.x, 32U + static_cast<unsigned>(i), ncclFloat, i % 2, two.first,
                        two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
