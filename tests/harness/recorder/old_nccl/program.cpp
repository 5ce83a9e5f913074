// Calls a function that its NCCL does not have, twice.
#include <nccl.h>

#include <cstdio>

int main() {
  const ncclResult_t first = ncclCommRevoke(nullptr, 0);
  const ncclResult_t second = ncclCommRevoke(nullptr, 0);
  std::printf("%d %d\n", first, second);
}
