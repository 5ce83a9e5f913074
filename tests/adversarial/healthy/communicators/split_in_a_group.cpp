// Two splits of one parent are in one group. Meanwhile a thread waits for the device, for a
// collective that the late rank makes after its splits.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  Two two;
  ncclComm_t pair = nullptr;
  ncclComm_t all = nullptr;
  if (rank() == 2) pause_ms(200);
  check(ncclGroupStart());
  check(ncclCommSplit(two.first, rank() == 1 ? NCCL_SPLIT_NOCOLOR : 1, rank(), &pair, nullptr));
  check(ncclCommSplit(two.second, 0, -rank(), &all, nullptr));
  check(ncclGroupEnd());
  if (rank() == 2) pause_ms(200);
  all_reduce(all, two.on_second, two.y);
  if (pair != nullptr) all_reduce(pair, two.on_first, two.x);
  check(cudaDeviceSynchronize());
  return 0;
}
