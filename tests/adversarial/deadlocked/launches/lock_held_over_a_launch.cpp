// Rank 0's main thread holds its device's lock while it launches a kernel for the first time,
// which loads the kernel and so waits for the device: for an all-reduce that rank 1 joins later.
// Rank 0's other thread needs the lock to call the broadcast in which rank 1 waits.
// Naive view: who sleeps at a lock may get it.
// Expected: deadlock; a cycle of both.
#include <mutex>
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
  std::mutex device;
  std::thread teller;
  {
    const std::scoped_lock lock(device);
    teller = std::thread([&] {
      check(cudaSetDevice(rank()));
      check(cudaStreamSynchronize(two.on_second));
      const std::scoped_lock mine(device);
      two.tell();
    });
    all_reduce(two.first, two.on_first, two.x);
    pause_ms(50);
    kernel.launch(side);
  }
  teller.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
