// Ranks that meet at NCCL_COMM_ID, so that none needs a unique id, and add up their numbers.
#include <cuda_runtime.h>
#include <nccl.h>

#include "exchange_id.h"

int main() {
  const int rank = number_from("RANK");
  const int ranks = number_from("WORLD_SIZE");
  cudaSetDevice(number_from("LOCAL_RANK"));
  ncclUniqueId id;
  ncclComm_t world = nullptr;
  if (ncclGetUniqueId(&id) != ncclSuccess) return 1;
  if (ncclCommInitRank(&world, ranks, id, rank) != ncclSuccess) return 1;
  int* value = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&value), sizeof *value) != cudaSuccess) return 1;
  if (cudaMemcpy(value, &rank, sizeof rank, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  ncclAllReduce(value, value, 1, ncclInt32, ncclSum, world, nullptr);
  int sum = 0;
  if (cudaMemcpy(&sum, value, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  ncclCommDestroy(world);
  return sum == ranks * (ranks - 1) / 2 ? 0 : 2;
}
