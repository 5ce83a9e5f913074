// An asynchronous copy from pinned to pinned memory: CUDA waits in it ("for transfers from any host
// memory to any host memory, the function is fully synchronous"). It is behind an all-reduce that
// waits for rank 1, which waits for rank 0's next call.
// Naive view: only copies of pageable memory wait.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  void* here = nullptr;
  void* there = nullptr;
  check(cudaMallocHost(&here, 4096));
  check(cudaMallocHost(&there, 4096));
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaMemcpyAsync(there, here, 4096, cudaMemcpyHostToHost, two.on_first));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
