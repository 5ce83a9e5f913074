// Rank 0's main thread opens a group and adds an all-reduce. Before it ends the group, another
// thread makes an all-reduce on the same communicator, on a stream with a long kernel. So the other
// thread's call is the first one.
// Naive view: the call that was made first comes first.
// Expected: completes.
#include <gridlock_sim/launch.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t one = make_stream();
  const cudaStream_t other = make_stream();
  float* x = device_floats();
  float* y = device_floats();
  if (rank() == 0) {
    check(ncclGroupStart());
    all_reduce(world, one, x, 16);
    std::thread([&] {
      check(cudaSetDevice(0));
      check(sim::launch(other, [] { pause_ms(900); }));
      all_reduce(world, other, y, 8);
    }).join();
    check(ncclGroupEnd());
  } else {
    all_reduce(world, other, y, 8);
    check(cudaStreamSynchronize(other));
    all_reduce(world, one, x, 16);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
