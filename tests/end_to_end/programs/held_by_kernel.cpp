// A healthy program whose processes stay for a while in an uninterruptible sleep, as behind a slow
// disk. Here vfork puts them there.
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include "exchange_id.h"

int main() {
  const int rank = number_from("RANK");
  const int ranks = number_from("WORLD_SIZE");
  cudaSetDevice(number_from("LOCAL_RANK"));
  ncclComm_t world = nullptr;
  if (ncclCommInitRank(&world, ranks, exchange_id(rank, ranks), rank) != ncclSuccess) return 1;
  constexpr unsigned int kMicroseconds = 900'000;
  // NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  if (vfork() == 0) {
    usleep(kMicroseconds);
    _exit(0);
  }
  // NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  return ncclCommDestroy(world) == ncclSuccess ? 0 : 1;
}
