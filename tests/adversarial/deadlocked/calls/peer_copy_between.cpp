// Rank 0 copies between devices on the legacy stream (setup/between.h).
// Naive view: the copy is not recorded, so nothing comes between the two blocking streams.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/between.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two(cudaStreamDefault);
  float* to = device_floats();
  return tell_behind(two, false,
                     [&] { check(cudaMemcpyPeerAsync(to, rank(), two.y, rank(), 64, nullptr)); });
}
