// An allocator of the program's own, as heap profilers and sanitizers have one: something happens
// in one allocation that a vendor's library makes in a launch.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <new>

inline thread_local void (*t_in_allocation)() = nullptr;

namespace adversarial {
inline void allocated(const void* caller) {
  void (*const then)() = t_in_allocation;
  if (then == nullptr) return;
  t_in_allocation = nullptr;
  Dl_info where{};
  const bool known = dladdr(caller, &where) != 0 && where.dli_fname != nullptr;
  if (!known || (std::strstr(where.dli_fname, "libgridlock_cuda") == nullptr &&
                 std::strstr(where.dli_fname, "libnccl") == nullptr)) {
    t_in_allocation = then;
    return;
  }
  then();
}
}  // namespace adversarial

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  adversarial::allocated(__builtin_return_address(0));
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// Rank 0 has an all-reduce under way that rank 1 joins when it is told to. Meanwhile rank 0
// launches (`launch` lasts because of `then`, inside an allocation), and tells rank 1 after that.
#include "tests/adversarial/setup/job.h"
template <class Launch>
void launch_that_lasts(const Two& two, void (*then)(), Launch launch) {
  if (rank() == 0) {
    cudaStream_t side = make_stream();
    check(cudaLaunchHostFunc(
        side, [](void*) {}, nullptr));
    check(cudaStreamSynchronize(side));
    all_reduce(two.first, two.on_first, two.x);
    pause_ms(20);
    t_in_allocation = then;
    launch(side);
    if (then != nullptr && t_in_allocation == then) std::fputs("no allocation\n", stderr);
    t_in_allocation = nullptr;
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
}
inline void host_function(cudaStream_t side) {
  check(cudaLaunchHostFunc(
      side, [](void*) {}, nullptr));
}
