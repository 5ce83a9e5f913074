// An ordinary program that ends its own hang: the last rank leaves, and an alarm handler aborts the
// communicator in which the others wait.
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "exchange_id.h"

namespace {

ncclComm_t g_world = nullptr;

void abort_world(int /*signal*/) { ncclCommAbort(g_world); }

}  // namespace

int main() {
  const int rank = number_from("RANK");
  const int ranks = number_from("WORLD_SIZE");
  std::signal(SIGALRM, abort_world);
  cudaSetDevice(number_from("LOCAL_RANK"));
  if (ncclCommInitRank(&g_world, ranks, exchange_id(rank, ranks), rank) != ncclSuccess) return 1;
  if (rank == ranks - 1) std::_Exit(0);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), sizeof(float));
  ualarm(400'000, 0);
  ncclAllReduce(values, values, 1, ncclFloat, ncclSum, g_world, stream);
  cudaStreamSynchronize(stream);
  std::_Exit(0);
}
