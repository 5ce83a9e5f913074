// An ordinary NCCL program in which the last rank leaves out one all-reduce and goes on.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

#include "join_world.h"

namespace {

constexpr int kSteps = 6;
constexpr int kSkipped = 3;
constexpr std::size_t kCount = 1000;

void add_up(float* values, ncclComm_t world, cudaStream_t stream) {
  ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, world, stream);
}

}  // namespace

int main() {
  const auto [rank, ranks, world] = join_world();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float));
  for (int step = 0; step < kSteps; ++step) {
    if (rank == ranks - 1 && step == kSkipped) continue;
    add_up(values, world, stream);
  }
  cudaStreamSynchronize(stream);
  std::printf("rank %d is done\n", rank);
  // It leaves without closing the communicator, which would wait for the others.
  std::fflush(stdout);
  std::_Exit(0);
}
