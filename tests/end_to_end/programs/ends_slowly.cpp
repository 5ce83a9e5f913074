// A healthy program whose processes end slowly: the kernel has much memory to free.
#include <cuda_runtime.h>
#include <nccl.h>
#include <sys/mman.h>

#include <cstdlib>

#include "join_world.h"

int main() {
  constexpr std::size_t kSize = std::size_t{1} << 30U;
  constexpr std::size_t kPage = 4096;
  void* const memory =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, kSize, MADV_NOHUGEPAGE) != 0) return 1;
  for (std::size_t at = 0; at < kSize; at += kPage) static_cast<char*>(memory)[at] = 1;
  join_world();
  std::_Exit(0);
}
