// A healthy program whose processes are in uninterruptible sleep for a while, as with a slow disk.
// Here vfork causes it.
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include "join_world.h"

int main() {
  const ncclComm_t world = join_world().world;
  constexpr unsigned int kMicroseconds = 900'000;
  // NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  if (vfork() == 0) {
    usleep(kMicroseconds);
    _exit(0);
  }
  // NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  return ncclCommDestroy(world) == ncclSuccess ? 0 : 1;
}
