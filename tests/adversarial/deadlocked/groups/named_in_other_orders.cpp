// Two communicators in one group on one stream, which the ranks name in different orders. Our own
// NCCL, and NCCL up to 2.25, run them as they are named. Since 2.26 NCCL sorts them, so that all
// ranks have one order; the reductions are large, so that this takes a while.
// Expected: deadlock of both on our own NCCL; NCCL 2.26 and later completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  constexpr std::size_t kCount = std::size_t{4} << 20U;
  Two two;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  all_reduce(two.second, two.on_first, two.y);
  check(cudaStreamSynchronize(two.on_first));
  float* large = device_floats(kCount);
  ncclGroupStart();
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, large, kCount);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, large, kCount);
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
