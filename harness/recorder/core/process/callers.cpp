// Finds the bounds of the calling thread's stack.
#include "harness/recorder/core/process/callers.h"

#include <pthread.h>

namespace gridlock::recorder {

StackBounds stack_bounds() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {.low = 1, .high = 64};
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {.low = begin, .high = begin + size};
}

}  // namespace gridlock::recorder
