// Rank 0's new worker first launches a kernel that must be loaded, and so waits for an all-
// reduce that rank 1 joins only after the worker's broadcast. The worker has made no other call;
// the main thread joins it.
// Naive view: a thread that is in no box may still do anything.
// Expected: deadlock; a cycle of both.
#include <thread>

#include "tests/adversarial/setup/unloaded_kernel.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("launch")};

int program(int, char**) {
  const Two two;
  const UnloadedKernel kernel;
  cudaStream_t side = make_stream();
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  all_reduce(two.first, two.on_first, two.x);
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    kernel.launch(side);
    two.tell();
  });
  worker.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
