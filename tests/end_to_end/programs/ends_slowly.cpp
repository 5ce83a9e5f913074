// A healthy program whose processes end slowly: the main thread is gone, but the process is not, as
// on a crowded machine while the kernel frees a large memory.
#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "exchange_id.h"

int main() {
  const int rank = number_from("RANK");
  const int ranks = number_from("WORLD_SIZE");
  cudaSetDevice(number_from("LOCAL_RANK"));
  ncclComm_t world = nullptr;
  if (ncclCommInitRank(&world, ranks, exchange_id(rank, ranks), rank) != ncclSuccess) return 1;
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    std::_Exit(0);
  }).detach();
  pthread_exit(nullptr);
}
