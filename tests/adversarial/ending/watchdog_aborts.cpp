// A watchdog thread sees that an all-reduce has not ended after 400 ms. It aborts the communicator
// and the process, as PyTorch does after its time-out. Rank 1 has left out the call and sleeps.
// Naive view: the victim dies by a signal, so it is to blame.
// Expected: crashes (or a hang), and rank 1 is to blame, as the state before the abort shows.
#include <atomic>
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
  std::atomic<bool> is_done = false;  // not the stream's state: at first nothing is on it yet
  std::thread([&] {
    for (int i = 0; i < 40 && !is_done; ++i) pause_ms(10);
    if (is_done) return;
    ncclCommAbort(world);
    std::abort();
  }).detach();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  is_done = true;
  pause_ms(3000);
  return 0;
}
