// A plugin whose constructor makes a stream in a thread of its own, and waits for that thread.
#include <cuda_runtime.h>

#include <cstdlib>
#include <thread>

static void warm_up() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0) != cudaSuccess) {
    std::_Exit(8);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

[[gnu::constructor]] static void begin() { std::thread(warm_up).join(); }
