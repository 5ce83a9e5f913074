// Each of two processes drives two devices of its own by ncclCommInitAll, inside a group, and all
// four by a communicator of the world. The first process's second device is late.
// Naive view: the handles are not there before the group ends.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const int own[2] = {number_from("LOCAL_RANK"), number_from("LOCAL_RANK") + 4};
  ncclComm_t locals[2] = {};
  check(ncclGroupStart());
  check(ncclCommInitAll(locals, 2, own));
  check(ncclGroupEnd());
  cudaStream_t streams[2] = {};
  float* data[2] = {};
  for (int i = 0; i < 2; ++i) {
    check(cudaSetDevice(own[i]));
    streams[i] = make_stream();
    data[i] = device_floats();
  }
  for (int step = 0; step < 3; ++step) {
    std::thread second([&] {
      check(cudaSetDevice(own[1]));
      if (rank() == step % 2) pause_ms(400);
      all_reduce(locals[1], streams[1], data[1]);
      check(cudaStreamSynchronize(streams[1]));
    });
    check(cudaSetDevice(own[0]));
    all_reduce(locals[0], streams[0], data[0]);
    all_reduce(world, streams[0], data[0]);
    check(cudaStreamSynchronize(streams[0]));
    second.join();
  }
  std::thread second([&] {
    if (rank() == 0) pause_ms(400);
    check(ncclCommDestroy(locals[1]));
  });
  check(ncclCommDestroy(locals[0]));
  second.join();
  check(ncclCommDestroy(world));
  return 0;
}
