// Rank 0 replays a graph of 1100 all-reduces; rank 1 makes the same calls eagerly. Then both go on
// eagerly, with other calls on the same communicator.
// Naive view: a graph of so many operations is opaque, and takes no slots on its communicators.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  const auto decode = [&] {
    for (int i = 0; i < 1100; ++i) all_reduce(two.first, two.on_first, two.x, 64);
  };
  if (rank() == 0) {
    check(cudaGraphLaunch(captured(two.on_first, decode), two.on_first));
  } else {
    decode();
  }
  check(cudaStreamSynchronize(two.on_first));
  for (int step = 0; step < 4; ++step) {
    if (rank() == step % 2) pause_ms(200);
    check(ncclBroadcast(two.x, two.x, 32, ncclFloat, step % 2, two.first, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
