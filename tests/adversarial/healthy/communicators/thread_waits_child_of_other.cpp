// Children of two splits, made in the same order, are used in opposite orders by two threads each,
// so that only the right pairing of children lets all threads go on.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t children[2] = {};
  for (ncclComm_t& child : children) check(ncclCommSplit(world, 3, rank(), &child, nullptr));
  cudaStream_t streams[2] = {make_stream(), make_stream()};
  float* data = device_floats();
  const auto work = [&](int which) {
    check(cudaSetDevice(rank()));
    for (int step = 0; step < 4; ++step) {
      if ((step + which + rank()) % 2 == 0) pause_ms(60);
      all_reduce(children[which], streams[which], data + which * std::ptrdiff_t{512}, 256);
      check(cudaStreamSynchronize(streams[which]));
    }
  };
  std::thread other(work, 1 - rank());
  work(rank());
  other.join();
  return 0;
}
