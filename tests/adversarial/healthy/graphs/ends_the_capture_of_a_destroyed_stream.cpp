// Cleaning up after an error, rank 0 ends a capture on a stream that is already destroyed. That
// fails. Then both ranks capture a step as usual, and mix replays with other calls.
// Naive view: with every end of a capture there is one capture less.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaStream_t broken = make_stream();
    cudaGraph_t none = nullptr;
    check(cudaStreamDestroy(broken));
    if (cudaStreamEndCapture(broken, &none) == cudaSuccess) return 5;
  }
  cudaGraphExec_t step =
      captured(two.on_first, [&] { all_reduce(two.first, two.on_first, two.x); });
  for (int i = 0; i < 4; ++i) {
    if (rank() == i % 2) pause_ms(200);
    check(cudaGraphLaunch(step, two.on_first));
    check(ncclBroadcast(two.x, two.x, 32U + static_cast<unsigned>(i), ncclFloat, i % 2, two.first,
                        two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
