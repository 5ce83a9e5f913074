// Rank 0's builder captures a graph for 3 s, so allocations of its other threads are refused
// (capture of the whole process). Its main thread tries to allocate until that works, and then
// tells rank 1 to go on, which joins an all-reduce then. A scheduler suspends rank 0 now and
// then (SIGSTOP, 150 ms).
// Naive view: who is stopped in cudaMalloc waits for the device.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/suspended.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  } else {
    cudaStream_t side = make_stream();
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
    const pid_t scheduler = start_suspending();
    std::thread retries([] {
      check(cudaSetDevice(0));
      void* memory = nullptr;
      for (const Deadline end = in_ms(3000); !end.is_over();) {
        if (cudaMalloc(&memory, 64) == cudaSuccess) std::_Exit(5);
      }
    });
    retries.join();
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(side, &graph);
    cudaGetLastError();
    wait_for(scheduler);
    two.tell();
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
