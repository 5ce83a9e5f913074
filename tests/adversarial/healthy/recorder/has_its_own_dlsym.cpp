// The program defines dlsym itself, as programs with an overlay do, and forwards to the next.
// Naive view: the recorder finds NCCL's functions by dlsym, so it finds itself for ever.
// Expected: completes.
#include <dlfcn.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

extern "C" void* dlsym(void* handle, const char* name) noexcept {
  static void* const next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  return reinterpret_cast<void* (*)(void*, const char*)>(next)(handle, name);
}

int program(int, char**) {
  const Training training;
  auto* const query =
      reinterpret_cast<cudaError_t (*)(cudaStream_t)>(dlsym(RTLD_DEFAULT, "cudaStreamQuery"));
  if (rank() == 0) pause_ms(300);
  all_reduce(training.world, training.stream, training.data);
  while (query(training.stream) == cudaErrorNotReady) pause_ms(2);
  return 0;
}
