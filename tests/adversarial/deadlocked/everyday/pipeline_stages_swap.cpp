// A pipeline of four stages, 1F1B: each stage sends activations forward and gets gradients back,
// 16 MiB each. Stage 2 sends its gradients before it receives the next activations, while stage
// 1 sends these first. Stages 0 and 3 wait for 1 and 2.
// Expected: deadlock; a cycle of 1 and 2.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {1, 2}), .ranks = 4};

int program(int, char**) {
  constexpr std::size_t kCount = std::size_t{4} << 20;
  const Training training;
  float* forward = device_floats(kCount);
  float* back = device_floats(kCount);
  training.step();
  const auto give = [&](float* data, int to) {
    check(ncclSend(data, kCount, ncclFloat, to, training.world, training.stream));
  };
  const auto take = [&](float* data, int from) {
    check(ncclRecv(data, kCount, ncclFloat, from, training.world, training.stream));
  };
  const int me = rank();
  if (me == 0) {
    give(forward, 1);
    take(back, 1);
  } else if (me == 1) {
    take(forward, 0);
    give(forward, 2);
    take(back, 2);
    give(back, 0);
  } else if (me == 2) {
    give(back, 1);
    take(forward, 1);
    give(forward, 3);
    take(back, 3);
  } else {
    take(forward, 2);
    give(back, 2);
  }
  check(cudaStreamSynchronize(training.stream));
  return 0;
}
