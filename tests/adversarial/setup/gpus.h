// Ranks that share GPUs, because there are fewer than ranks. Sources that are built for GPUs
// include this first.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// The GPU that stands for `device`, which on the simulation every rank has of its own. A device
// that is no rank's has none: then the program ends.
inline int shared_gpu(int device) {
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  const char* ranks = std::getenv("WORLD_SIZE");
  if (device >= gpus && device >= std::atoi(ranks == nullptr ? "2" : ranks)) {
    std::fprintf(stderr, "needs a GPU number %d\n", device);
    std::_Exit(77);
  }
  return gpus == 0 ? device : device % gpus;
}
#define cudaSetDevice(device) cudaSetDevice(shared_gpu(device))
