// As in some servers, the first thread ends (pthread_exit) when it has started the others. They
// train on, and one of them is late.
// Naive view: a process whose first thread is a zombie has ended.
// Expected: completes.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  static ncclComm_t world = join_world();
  static cudaStream_t stream = make_stream();
  static float* data = device_floats();
  std::thread([] {
    check(cudaSetDevice(rank()));
    for (int step = 0; step < 3; ++step) {
      if (rank() == step % 2) pause_ms(300);
      all_reduce(world, stream, data);
      check(cudaStreamSynchronize(stream));
    }
    std::_Exit(0);
  }).detach();
  pthread_exit(nullptr);
}
