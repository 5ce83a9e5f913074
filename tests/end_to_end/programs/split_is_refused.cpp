// An ordinary NCCL program in which the last rank computes an invalid color. NCCL refuses its
// split. The rank does not look at the result and goes on without a new communicator; the others
// wait for it.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>

#include "join_world.h"

int main() {
  const auto [rank, ranks, world] = join_world();
  constexpr int kNoColor = -7;
  ncclComm_t part = nullptr;
  ncclCommSplit(world, rank == ranks - 1 ? kNoColor : 0, rank, &part, nullptr);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), sizeof(float));
  ncclAllReduce(values, values, 1, ncclFloat, ncclSum, world, stream);
  cudaStreamSynchronize(stream);
  std::printf("rank %d is done\n", rank);
  return 0;
}
