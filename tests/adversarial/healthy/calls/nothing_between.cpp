// Rank 0 sets and copies no bytes on the legacy stream (setup/between.h).
// Naive view: these are work, and so come between the two blocking streams.
// Expected: completes.
#include "tests/adversarial/setup/between.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  return tell_behind(two, true, [&] {
    check(cudaMemset(two.x, 0, 0));
    check(cudaMemcpyAsync(two.x, two.y, 0, cudaMemcpyDeviceToDevice, nullptr));
  });
}
