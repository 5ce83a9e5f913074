// A watchdog thread finds after 400 ms that an all-reduce does not end, aborts the communicator and
// the process, as PyTorch does after its time-out. Rank 1 left the call out and sleeps. Naive: the
// victim dies by a signal, so it is to blame. Must be said: crashes (or a hang), and rank 1 is to
// blame: the state before the abort says so.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("crashes", "missing_rank", {1})
                                          .or_as("crashes", "host_stuck", {1})
                                          .or_as("stall", "host_stuck", {1}),
                            .options = {"--stall-limit", "10s"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 1) {
    pause_ms(3000);
    return 0;
  }
  std::thread([&] {
    pause_ms(10);
    for (int i = 0; i < 40 && cudaStreamQuery(stream) == cudaErrorNotReady; ++i) pause_ms(10);
    ncclCommAbort(world);
    std::abort();
  }).detach();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  pause_ms(3000);
  return 0;
}
