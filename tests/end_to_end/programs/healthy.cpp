// An ordinary NCCL program, one process per GPU, that adds up numbers in a loop and completes.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "join_world.h"

int main() {
  const auto [rank, ranks, world] = join_world();
  constexpr int kSteps = 20;
  constexpr std::size_t kCount = 1000;

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float));

  for (int step = 0; step < kSteps; ++step) {
    std::vector<float> host(kCount, static_cast<float>(rank + step));
    cudaMemcpyAsync(values, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream);
    ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, world, stream);
    cudaMemcpyAsync(host.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    const int sum_of_ranks = ranks * (ranks - 1) / 2;
    const auto expected = static_cast<float>(sum_of_ranks + ranks * step);
    if (host.front() != expected || host.back() != expected) {
      std::fprintf(stderr, "rank %d step %d: %f is not %f\n", rank, step, host.front(), expected);
      return 1;
    }
  }
  std::printf("rank %d of %d is done\n", rank, ranks);
  ncclCommDestroy(world);
  return 0;
}
