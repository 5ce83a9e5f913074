// Rank 0 makes calls on the legacy stream that CUDA and NCCL refuse (setup/between.h).
// Naive view: these are work, and so come between the two blocking streams.
// Expected: completes, also under Gridlock, which may put no work of its own there.
#include "tests/adversarial/setup/between.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  return tell_behind(two, true, [&] {
    int own = 0;
    constexpr int kNoRank = 7;
    if (cudaMemset(&own, 0, sizeof own) == cudaSuccess ||
        ncclBroadcast(two.y, two.y, 8, ncclFloat, kNoRank, two.second, nullptr) == ncclSuccess) {
      std::_Exit(5);
    }
  });
}
