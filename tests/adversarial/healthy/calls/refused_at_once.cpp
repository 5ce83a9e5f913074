// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// for half a second under load, it makes calls of CUDA that are refused at once.
// Naive view: a rank that is preempted inside such a call waits for the device, and so for the
// receive.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .beside_load = true};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    int own[16] = {};
    void* made = nullptr;
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    for (const Deadline end = in_ms(500); !end.is_over();) {
      if (cudaFree(own) == cudaSuccess || cudaFreeHost(two.y) == cudaSuccess ||
          cudaHostAlloc(&made, 64, ~0U) == cudaSuccess ||
          cudaMemcpyAsync(own, nullptr, 64, cudaMemcpyDeviceToHost, two.on_first) == cudaSuccess) {
        return 5;
      }
      check(cudaMallocHost(&made, 0));  // accepted, and waits for nobody
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
