// A group of rank 0 splits the world and calls an all-reduce on a stream of another device by
// mistake: the child is made, the all-reduce is refused. Rank 0 repeats the all-reduce on the right
// stream and uses the child, late.
// Naive view: the group failed, so the child was not made.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  Two two;
  ncclComm_t child = nullptr;
  if (rank() == 0) {
    check(cudaSetDevice(3));
    cudaStream_t elsewhere = make_stream();
    check(cudaSetDevice(0));
    check(ncclGroupStart());
    check(ncclCommSplit(two.first, 0, rank(), &child, nullptr));
    all_reduce(two.second, elsewhere, two.y);
    if (ncclGroupEnd() == ncclSuccess || child == nullptr) return 5;
  } else {
    check(ncclCommSplit(two.first, 0, rank(), &child, nullptr));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 0) pause_ms(600);
  all_reduce(child, two.on_first, two.x);
  check(cudaDeviceSynchronize());
  return 0;
}
