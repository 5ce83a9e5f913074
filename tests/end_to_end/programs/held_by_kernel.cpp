// A healthy program whose processes stay for a while in an uninterruptible sleep, as behind a slow
// disk. Here vfork puts them there.
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
