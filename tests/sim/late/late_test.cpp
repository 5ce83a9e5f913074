// Loads a library in C++, uses it, and then loads our NCCL on the simulated CUDA: as Python does
// that imports PyTorch first. This program itself is not linked against libstdc++.
#include <dlfcn.h>

#include <cstdio>

int main() {
  void* const first = dlopen(GRIDLOCK_LATE_FIRST, RTLD_NOW);
  auto* const call =
      first == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(first, "call_once_here"));
  if (call == nullptr || call() != 1) {
    std::fprintf(stderr, "%s cannot be used: %s\n", GRIDLOCK_LATE_FIRST, dlerror());
    return 1;
  }
  if (dlopen(GRIDLOCK_LATE_NCCL, RTLD_NOW) == nullptr) {
    std::fprintf(stderr, "cannot be loaded late: %s\n", dlerror());
    return 1;
  }
  return 0;
}
